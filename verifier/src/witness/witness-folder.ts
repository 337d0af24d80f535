// The data folder of a witness: its keys (0600), its state, and the notes of forked logs. Locked by one process at a
// time. An incomplete folder is rejected: a witness without its state could cosign a fork.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { parseSpki } from '@recordproof/shared/evidence/ed25519.ts';
import {
  FileWitnessStore,
  parseWitnessState,
  type WitnessState,
  writeWitnessState,
} from '@recordproof/shared/evidence/witness-state.ts';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { FileLocked } from '@recordproof/shared/node/file-lock.ts';
import { lockFileExclusively } from '@recordproof/shared/node/locked-file.ts';
import { mlDsaPublicKey, signMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { systemCodeOf } from '../shell/terminal.ts';
import type { FolderOptions } from './witness-options.ts';

/** The folder is unusable; the message says what to do. */
export class WitnessProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'WitnessProblem';
  }
}

type KeyType = 'ed25519' | 'ml-dsa-44';

export type WitnessFolder = Disposable & {
  readonly signers: readonly TypedNoteSigner[];
  readonly store: FileWitnessStore;
  /** Stores the notes of a log that signed two different trees of one size. */
  keepFork(id: string, first: string, second: string): Promise<void>;
};

const stateFile = (folder: string): string => join(folder, 'state.json');
const keyFile = (folder: string, type: KeyType): string => join(folder, `${type}.pem`);

/** Initializes a new folder. Throws UsageError or WitnessProblem. */
export async function openWitnessFolder(options: FolderOptions): Promise<WitnessFolder> {
  const folder = resolve(options.data);
  // Not recursive: Node creates a whole path in an endless loop where the system permits no folders, as below /proc.
  await mkdir(folder, { mode: 0o700 }).catch(problem => {
    if (codeOf(problem) === 'EEXIST') return;
    throw new WitnessProblem(
      `The folder ${folder} cannot be made (${codeOf(problem)}): choose another --data.`,
      problem,
    );
  });
  const lock = lockFolder(folder);
  try {
    const { name, logs } = await readOrMakeState(folder, options);
    const signers = [await readOrMakeKey(folder, 'ed25519', name, logs.size === 0)];
    if (options.isPostQuantum || (await isThere(keyFile(folder, 'ml-dsa-44'))))
      signers.push(await readOrMakeKey(folder, 'ml-dsa-44', name, true));
    const path = stateFile(folder);
    const store = new FileWitnessStore({ read: () => readFile(path, 'utf8'), write: text => replace(path, text) });
    // Makes the last write of a killed witness durable, and detects a disk that rejects writes.
    await store.load();
    return {
      signers,
      store,
      keepFork: (id, first, second) => keepFork(join(folder, 'forks'), id, [first, second]),
      [Symbol.dispose]: () => lock.close(),
    };
  } catch (problem) {
    lock.close();
    throw problem;
  }
}

/** The keys of an initialized folder, also while a witness runs on it; undefined for any other. */
export async function readWitnessKeys(options: FolderOptions): Promise<TypedNoteSigner[] | undefined> {
  const folder = resolve(options.data);
  const state = await readState(folder);
  if (state === undefined || !(await isThere(keyFile(folder, 'ed25519')))) return undefined;
  assertName(state, options);
  const signers = [await readKey(folder, 'ed25519', state.name)];
  const hasPostQuantum = await isThere(keyFile(folder, 'ml-dsa-44'));
  // This key does not exist yet.
  if (options.isPostQuantum && !hasPostQuantum) return undefined;
  return hasPostQuantum ? [...signers, await readKey(folder, 'ml-dsa-44', state.name)] : signers;
}

function lockFolder(folder: string): { close(): void } {
  try {
    return lockFileExclusively(join(folder, 'lock'));
  } catch (problem) {
    if (problem instanceof FileLocked)
      throw new WitnessProblem(`Another process uses the folder ${folder}: end it, or choose another --data.`, problem);
    throw new WitnessProblem(`The folder ${folder} cannot be used (${codeOf(problem)}).`, problem);
  }
}

async function readOrMakeState(folder: string, options: FolderOptions): Promise<WitnessState> {
  const found = await readState(folder);
  if (found !== undefined) return assertName(found, options);
  if (await isThere(keyFile(folder, 'ed25519')))
    throw new WitnessProblem(
      `${stateFile(folder)} is missing, and without it this key could cosign a fork. ` +
        'Bring the newest one back, or start a new witness with another name in an empty folder.',
    );
  if (options.name === undefined)
    throw new UsageError('--name is needed for the first start of a witness, and cannot be changed later');
  const state: WitnessState = { name: options.name, logs: new Map() };
  await replace(stateFile(folder), writeWitnessState(state));
  return state;
}

async function readState(folder: string): Promise<WitnessState | undefined> {
  const path = stateFile(folder);
  if (!(await isThere(path))) return undefined;
  try {
    return parseWitnessState(await readFile(path, 'utf8'));
  } catch (problem) {
    throw new WitnessProblem(
      `${path} cannot be read as the state of a witness (${codeOf(problem)}). Bring the newest one back.`,
      problem,
    );
  }
}

function assertName(state: WitnessState, { name }: FolderOptions): WitnessState {
  if (name !== undefined && name !== state.name)
    throw new UsageError(`the folder of --data belongs to the witness ${state.name}: a name belongs to one key`);
  return state;
}

async function readOrMakeKey(folder: string, type: KeyType, name: string, mayMake: boolean): Promise<TypedNoteSigner> {
  const path = keyFile(folder, type);
  if (await isThere(path)) return readKey(folder, type, name);
  if (!mayMake)
    throw new WitnessProblem(`${path} is missing, but this witness has cosigned before. Bring the key back.`);
  const { privateKey } = type === 'ed25519' ? generateKeyPairSync(type) : generateKeyPairSync(type);
  await replace(path, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  return toSigner(privateKey, type, name);
}

async function readKey(folder: string, type: KeyType, name: string): Promise<TypedNoteSigner> {
  const path = keyFile(folder, type);
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new WitnessProblem(`Others can read ${path}, so it is not used: chmod 600 ${path}`);
  try {
    const key = createPrivateKey(await readFile(path, 'utf8'));
    if (key.asymmetricKeyType !== type) throw new RangeError('another type of key');
    return toSigner(key, type, name);
  } catch (problem) {
    throw new WitnessProblem(`${path} is no private key of the type ${type}. Bring the key back.`, problem);
  }
}

function toSigner(key: KeyObject, type: KeyType, name: string): TypedNoteSigner {
  if (type === 'ml-dsa-44')
    return { type: 'ML_DSA_44', name, publicKey: mlDsaPublicKey(key), sign: message => signMlDsa44(key, message) };
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = parseSpki(new Uint8Array(spki));
  return { type: 'COSIGNATURE', name, publicKey, sign: message => new Uint8Array(sign(null, message, key)) };
}

/** The folder is locked: the draft has a fixed name, and one left by a killed process is replaced. */
const replace = (path: string, text: string): Promise<void> => writeDurably(path, text, { draft: `${path}.draft` });

const maxForkedNotes = 200;

async function keepFork(folder: string, id: string, notes: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length >= maxForkedNotes) return;
  for (const [at, note] of notes.entries()) await writeDurably(join(folder, `${id}-${at + 1}.note`), note);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (problem) {
    if (codeOf(problem) === 'ENOENT') return false;
    throw new WitnessProblem(`${path} cannot be read (${codeOf(problem)}).`, problem);
  }
}

const codeOf = (problem: unknown): string => systemCodeOf(problem) || 'damaged';
