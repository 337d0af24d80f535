// Key provider `local`, contract 1: versioned master keys in one owner-only file; data keys are wrapped with
// AES-256-GCM. Versions are added, never changed.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { FileLocked, isLockFileBroken, withFileLock } from '@recordproof/shared/node/file-lock.ts';
import { systemClock } from '../clock.ts';
import { createFile, errnoOf, replaceFile } from '../durable-files.ts';
import {
  attempt,
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  toProviderName,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';
import { localAlgorithm, unwrapLocally, wrapLocally } from './local-wrap.ts';
import { type KeyFile, MasterKeyFileError, newStoredKey, readKeyFile, toFileBytes } from './master-key-file.ts';

/** In the server's key folder. */
export const masterKeyFile = 'master-keys.json';
const ownerOnly = 0o600;
/** Takes about a millisecond of processor time before other work gets a turn. */
const mostAtOnce = 64;

export type MasterKeyInfo = {
  readonly version: string;
  readonly createdAt: string;
  /** NEW: published but not used yet. */
  readonly state: 'NEW' | 'ACTIVE' | 'OLD';
  /** Null for a new key. */
  readonly activeSince: string | null;
  /** Distinguishes two keys with the same version. */
  readonly check: string;
};

type LocalKeys = KeyProvider & {
  listVersions(): Promise<readonly MasterKeyInfo[]>;
  /** Adds a master key and activates it; durable when it resolves. Running servers load it by themselves. */
  addVersion(): Promise<string>;
  /** Adds a master key that unwraps but does not wrap yet. */
  publishVersion(): Promise<string>;
  /** Activates a published version for wrapping. */
  useVersion(version: string): Promise<void>;
  /** Deletes a version for good. The caller has checked that no envelope needs it; the active version is rejected. */
  removeVersion(version: string): Promise<void>;
};

type LocalKeysOptions = {
  readonly path: string;
  /** Whether to create a missing file. False once envelopes exist: a new key could open none of them. */
  readonly createIfMissing: boolean;
  readonly now?: () => Date;
  /** How long a change waits for another one, which takes milliseconds; 10 s when left out. */
  readonly lockWaitMs?: number;
};

export async function openLocalKeys(options: LocalKeysOptions): Promise<LocalKeys> {
  const now = options.now ?? (() => new Date(systemClock.now()));
  const keys = new LocalKeyFile(options.path, now, options.lockWaitMs ?? 10_000);
  if (options.createIfMissing) await keys.createIfMissing();
  await keys.listVersions();
  return keys;
}

const configuration = (message: string, cause?: unknown) => new KeyProviderError('CONFIGURATION', message, cause);

type Loaded = { readonly stamp: string; readonly content: KeyFile; readonly keys: ReadonlyMap<string, KeyObject> };

class LocalKeyFile implements LocalKeys {
  readonly id = 'local';
  readonly contract = 1;
  readonly operations = ['wrap', 'unwrap', 'read-key'] as const;
  readonly algorithms = [localAlgorithm];
  readonly many = {
    mostAtOnce,
    wrap: (requests: readonly WrapRequest[]) => this.#wrapMany(requests),
    unwrap: (requests: readonly UnwrapRequest[]) => this.#unwrapMany(requests),
  };
  readonly #path: string;
  readonly #now: () => Date;
  readonly #lockWaitMs: number;
  #loaded: Loaded | undefined;

  constructor(path: string, now: () => Date, lockWaitMs: number) {
    this.#path = path;
    this.#now = now;
    this.#lockWaitMs = lockWaitMs;
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
      // A server that started at the same time created the file first: its key counts.
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

  async #wrapMany(requests: readonly WrapRequest[]): Promise<Outcome<WrappedKey>[]> {
    const loaded = await this.#load();
    await setImmediate();
    return requests.map(request => attempt(() => wrapWith(loaded, request), toProviderName(this)));
  }

  async #unwrapMany(requests: readonly UnwrapRequest[]): Promise<Outcome<KeyObject>[]> {
    const loaded = new Map<string, Loaded>();
    for (const { wrapped } of requests)
      if (!loaded.has(wrapped.keyVersion)) loaded.set(wrapped.keyVersion, await this.#loadFor(wrapped));
    await setImmediate();
    return requests.map(request =>
      attempt(() => unwrapWith(loaded.get(request.wrapped.keyVersion) as Loaded, request), toProviderName(this)),
    );
  }

  /** The loaded keys if they have the version; otherwise the file is read again. */
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

  /** Changes the file under a lock between processes, starting from its current content. */
  async #change<T>(edit: (content: KeyFile) => readonly [KeyFile, T]): Promise<T> {
    const change = async () => {
      const [content, answer] = edit((await this.#load()).content);
      await replaceFile(this.#path, toFileBytes(content), ownerOnly);
      return answer;
    };
    const lock = join(dirname(this.#path), 'master-keys.lock');
    try {
      return await withFileLock(lock, this.#lockWaitMs, change);
    } catch (error) {
      if (error instanceof FileLocked)
        throw configuration('the master keys are being changed by another process; try again when it is done', error);
      if (isLockFileBroken(error)) throw configuration(`the lock file ${lock} cannot be used`, error);
      throw error;
    }
  }

  async #findStamp(): Promise<string | null> {
    try {
      const { ino, size, mtimeNs } = await stat(this.#path, { bigint: true });
      return `${ino} ${size} ${mtimeNs}`;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw new MasterKeyFileError(`the key file ${this.#path} cannot be read`, error);
    }
  }

  async #load(): Promise<Loaded> {
    const stamp = await this.#findStamp();
    if (stamp === null)
      throw new MasterKeyFileError(
        `the key file ${this.#path} is missing; restore it from a backup, or copy it from another server of this database: nothing encrypted can be read without it`,
      );
    if (this.#loaded?.stamp !== stamp) {
      const content = await readKeyFile(this.#path);
      const keys = new Map(content.keys.map(({ version, key }) => [version, createSecretKey(key, 'base64')]));
      this.#loaded = { stamp, content, keys };
    }
    return this.#loaded;
  }
}

function wrapWith({ content, keys }: Loaded, { dataKey, binding }: WrapRequest): WrappedKey {
  const keyVersion = content.activeVersion;
  const wrapped = wrapLocally(toMasterKey(keys, keyVersion), dataKey, binding);
  return { keyVersion, algorithm: localAlgorithm, wrapped };
}

function unwrapWith({ keys }: Loaded, { wrapped, binding }: UnwrapRequest): KeyObject {
  if (wrapped.algorithm !== localAlgorithm)
    throw new KeyProviderError('INVALID_CIPHERTEXT', 'this key was not wrapped by the local provider');
  return unwrapLocally(toMasterKey(keys, wrapped.keyVersion), wrapped.wrapped, binding);
}

function toMasterKey(keys: ReadonlyMap<string, KeyObject>, version: string): KeyObject {
  const key = keys.get(version);
  if (key === undefined)
    throw new KeyProviderError(
      'KEY_NOT_FOUND',
      `the key file has no master key of version ${version}; restore it from a backup`,
    );
  return key;
}
