// Key provider `local`, contract 1: versioned master keys in one file that only its owner may read; data keys are
// wrapped with AES-256-GCM. Refuses a file that others can read or that is damaged. Versions are added, never changed.
import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { open, rm, stat, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { createFile, errnoOf, replaceFile } from '../durable-files.ts';
import {
  attempt,
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  type UnwrapWish,
  type WrappedKey,
  type WrapWish,
} from './envelope.ts';
import { localAlgorithm, masterKeyBytes, unwrapLocally, wrapLocally } from './local-wrap.ts';

/** In the folder of the server's keys. */
export const masterKeyFile = 'master-keys.json';
const ownerOnly = 0o600;
const largestFile = 1024 * 1024;
/** About a millisecond of this processor; whatever else the server has to do comes in between. */
const mostAtOnce = 64;

const storedKey = z.strictObject({
  version: z.string().regex(/^[1-9]\d{0,8}$/),
  createdAt: z.iso.datetime(),
  key: z.base64().length(44),
  check: z.string().regex(/^[0-9a-f]{16}$/),
  /** Where it was published first, and used later. */
  activatedAt: z.iso.datetime().optional(),
});
const keyFile = z.strictObject({
  format: z.literal('recordproof-master-keys'),
  formatVersion: z.literal(1),
  activeVersion: z.string(),
  keys: z.array(storedKey).min(1),
});
type KeyFile = z.infer<typeof keyFile>;

export type MasterKeyInfo = {
  readonly version: string;
  readonly createdAt: string;
  /** NEW: published, and used by nothing yet. */
  readonly state: 'NEW' | 'ACTIVE' | 'OLD';
  /** Since when it wraps; null for a new one. */
  readonly activeSince: string | null;
  /** Tells two keys of one version apart. */
  readonly check: string;
};

type LocalKeys = KeyProvider & {
  listVersions(): Promise<readonly MasterKeyInfo[]>;
  /** Makes a new master key the active one; durable when it resolves. Running servers take it up by themselves. */
  addVersion(): Promise<string>;
  /** A new master key that opens and does not wrap yet. */
  publishVersion(): Promise<string>;
  /** From now on a version that was published wraps. */
  useVersion(version: string): Promise<void>;
  /** Forgets a version for ever. The caller has made sure that no envelope needs it; the active one is refused. */
  removeVersion(version: string): Promise<void>;
};

type LocalKeysOptions = {
  readonly path: string;
  /** Whether a missing file is a fresh start. Say false once envelopes exist: a new key would open none of them. */
  readonly createIfMissing: boolean;
  readonly now?: () => Date;
};

export async function openLocalKeys(options: LocalKeysOptions): Promise<LocalKeys> {
  const keys = new LocalKeyFile(options.path, options.now ?? (() => new Date(systemClock.now())));
  if (options.createIfMissing) await keys.createIfMissing();
  await keys.listVersions();
  return keys;
}

const configuration = (message: string, cause?: unknown) => new KeyProviderError('CONFIGURATION', message, cause);

/** Catches a damaged file before a wrong key wraps anything. */
const toCheck = (version: string, key: Buffer): string =>
  createHash('sha256').update(`recordproof-master-key ${version} `).update(key).digest('hex').slice(0, 16);

function newStoredKey(version: string, now: Date): KeyFile['keys'][number] {
  const key = randomBytes(masterKeyBytes);
  return { version, createdAt: now.toISOString(), key: key.toString('base64'), check: toCheck(version, key) };
}

const toFileBytes = (content: KeyFile): Buffer => Buffer.from(`${JSON.stringify(content, null, 2)}\n`, 'utf8');

type Loaded = { readonly stamp: string; readonly content: KeyFile; readonly keys: ReadonlyMap<string, KeyObject> };

class LocalKeyFile implements LocalKeys {
  readonly id = 'local';
  readonly contract = 1;
  readonly operations = ['wrap', 'unwrap', 'read-key'] as const;
  readonly algorithms = [localAlgorithm];
  readonly many = {
    mostAtOnce,
    wrap: (wishes: readonly WrapWish[]) => this.#wrapMany(wishes),
    unwrap: (wishes: readonly UnwrapWish[]) => this.#unwrapMany(wishes),
  };
  readonly #path: string;
  readonly #now: () => Date;
  #loaded: Loaded | undefined;

  constructor(path: string, now: () => Date) {
    this.#path = path;
    this.#now = now;
  }

  async createIfMissing(): Promise<void> {
    if ((await this.#findStamp()) !== null) return;
    const content: KeyFile = {
      format: 'recordproof-master-keys',
      formatVersion: 1,
      activeVersion: '1',
      keys: [newStoredKey('1', this.#now())],
    };
    await createFile(this.#path, toFileBytes(content), ownerOnly).catch(error => {
      // Another server of the same start was faster: its key counts.
      if (errnoOf(error) !== 'EEXIST') throw configuration(`the key file ${this.#path} cannot be written`, error);
    });
  }

  async activeKeyVersion(): Promise<string> {
    return (await this.#load()).content.activeVersion;
  }

  async wrap(dataKey: KeyObject, binding: Uint8Array): Promise<WrappedKey> {
    return wrapWith(await this.#load(), { dataKey, binding });
  }

  async unwrap(wrapped: WrappedKey, binding: Uint8Array): Promise<KeyObject> {
    return unwrapWith(await this.#loadFor(wrapped), { wrapped, binding });
  }

  async #wrapMany(wishes: readonly WrapWish[]): Promise<Outcome<WrappedKey>[]> {
    const loaded = await this.#load();
    await setImmediate();
    return wishes.map(wish => attempt(() => wrapWith(loaded, wish)));
  }

  async #unwrapMany(wishes: readonly UnwrapWish[]): Promise<Outcome<KeyObject>[]> {
    const known = new Map<string, Loaded>();
    for (const { wrapped } of wishes)
      if (!known.has(wrapped.keyVersion)) known.set(wrapped.keyVersion, await this.#loadFor(wrapped));
    await setImmediate();
    return wishes.map(wish => attempt(() => unwrapWith(known.get(wish.wrapped.keyVersion) as Loaded, wish)));
  }

  /** What is there now, if that has the version already; otherwise the file may have got it meanwhile. */
  async #loadFor({ keyVersion }: WrappedKey): Promise<Loaded> {
    return this.#loaded?.keys.has(keyVersion) ? this.#loaded : await this.#load();
  }

  async listVersions(): Promise<readonly MasterKeyInfo[]> {
    const { content } = await this.#load();
    const active = Number(content.activeVersion);
    return content.keys.map(({ version, createdAt, activatedAt, check }) => {
      const state = Number(version) > active ? 'NEW' : Number(version) === active ? 'ACTIVE' : 'OLD';
      return { version, createdAt, state, activeSince: state === 'NEW' ? null : (activatedAt ?? createdAt), check };
    });
  }

  addVersion = (): Promise<string> => this.#add(true);
  publishVersion = (): Promise<string> => this.#add(false);

  async #add(isActive: boolean): Promise<string> {
    return this.#change(content => {
      const version = String(Math.max(...content.keys.map(key => Number(key.version))) + 1);
      const keys = [...content.keys, newStoredKey(version, this.#now())];
      return [{ ...content, keys, ...(isActive && { activeVersion: version }) }, version];
    });
  }

  async useVersion(version: string): Promise<void> {
    return this.#change(content => {
      if (Number(version) <= Number(content.activeVersion))
        throw configuration(`master key version ${version} is not newer than the one in use`);
      const activatedAt = this.#now().toISOString();
      const keys = content.keys.map(key => (key.version === version ? { ...key, activatedAt } : key));
      if (!keys.some(key => key.version === version)) throw configuration(`there is no master key version ${version}`);
      return [{ ...content, keys, activeVersion: version }, undefined];
    });
  }

  async removeVersion(version: string): Promise<void> {
    return this.#change(content => {
      if (version === content.activeVersion)
        throw configuration('the active master key cannot be removed; add a version first');
      if (!content.keys.some(key => key.version === version))
        throw configuration(`there is no master key version ${version}`);
      return [{ ...content, keys: content.keys.filter(key => key.version !== version) }, undefined];
    });
  }

  /** One change at a time across processes; reads what is there now, not what was loaded before. */
  async #change<T>(edit: (content: KeyFile) => readonly [KeyFile, T]): Promise<T> {
    const lock = `${this.#path}.lock`;
    await writeFile(lock, `${process.pid}\n`, { flag: 'wx', mode: ownerOnly }).catch(error => {
      throw configuration(`the keys are being changed by another process; if none is running, remove ${lock}`, error);
    });
    try {
      const [content, answer] = edit((await this.#load()).content);
      await replaceFile(this.#path, toFileBytes(content), ownerOnly);
      return answer;
    } finally {
      await rm(lock, { force: true });
    }
  }

  async #findStamp(): Promise<string | null> {
    try {
      const { ino, size, mtimeNs } = await stat(this.#path, { bigint: true });
      return `${ino} ${size} ${mtimeNs}`;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw configuration(`the key file ${this.#path} cannot be read`, error);
    }
  }

  async #load(): Promise<Loaded> {
    const stamp = await this.#findStamp();
    if (stamp === null)
      throw configuration(
        `the key file ${this.#path} is missing; restore it, nothing encrypted can be read without it`,
      );
    if (this.#loaded?.stamp !== stamp) {
      const content = await readKeyFile(this.#path);
      const keys = new Map(content.keys.map(({ version, key }) => [version, createSecretKey(key, 'base64')]));
      this.#loaded = { stamp, content, keys };
    }
    return this.#loaded;
  }
}

function wrapWith({ content, keys }: Loaded, { dataKey, binding }: WrapWish): WrappedKey {
  const keyVersion = content.activeVersion;
  const wrapped = wrapLocally(toMasterKey(keys, keyVersion), dataKey, binding);
  return { keyVersion, algorithm: localAlgorithm, wrapped };
}

function unwrapWith({ keys }: Loaded, { wrapped, binding }: UnwrapWish): KeyObject {
  if (wrapped.algorithm !== localAlgorithm)
    throw new KeyProviderError('INVALID_CIPHERTEXT', 'this is no key that the local provider wrapped');
  return unwrapLocally(toMasterKey(keys, wrapped.keyVersion), wrapped.wrapped, binding);
}

function toMasterKey(keys: ReadonlyMap<string, KeyObject>, version: string): KeyObject {
  const key = keys.get(version);
  if (key === undefined)
    throw new KeyProviderError('KEY_NOT_FOUND', 'the master key version of this envelope is not in the key file');
  return key;
}

async function readKeyFile(path: string): Promise<KeyFile> {
  const damaged = (why: string) => configuration(`the key file ${path} is damaged (${why}); restore it from a backup`);
  await using file = await open(path, 'r').catch(error => {
    throw configuration(`the key file ${path} cannot be read`, error);
  });
  const { mode, size } = await file.stat();
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw configuration(
      `the key file ${path} can be used by others (mode ${(mode & 0o777).toString(8)}); run: chmod 600 ${path}`,
    );
  }
  if (size > largestFile) throw damaged('it is too large');
  const text = await file.readFile('utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw damaged('it is not JSON');
  }
  const parsed = keyFile.safeParse(json);
  if (!parsed.success) throw damaged(`field ${parsed.error.issues[0]?.path.join('.') || 'list'} is not as expected`);
  const versions = parsed.data.keys.map(key => key.version);
  if (new Set(versions).size !== versions.length) throw damaged('a version stands twice');
  if (!versions.includes(parsed.data.activeVersion)) throw damaged('the active version has no key');
  const wrong = parsed.data.keys.find(
    ({ version, key, check }) => toCheck(version, Buffer.from(key, 'base64')) !== check,
  );
  if (wrong !== undefined) throw damaged(`the key of version ${wrong.version} does not match its check value`);
  return parsed.data;
}
