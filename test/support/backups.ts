// Backups of test servers, and empty targets for restores, on the database engine of the project.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectEntry } from '../../server/src/commands/backup/copy-objects.ts';
import { findBackup, type Restored, restoreBackup } from '../../server/src/commands/backup/restore-backup.ts';
import { type Verified, verifyInstallation } from '../../server/src/commands/backup/verify-installation.ts';
import { type Taken, writeBackup } from '../../server/src/commands/backup/write-backup.ts';
import { migrations } from '../../server/src/compose/features.ts';
import { openInstallation } from '../../server/src/compose/open-schema.ts';
import { type Config, readConfig } from '../../server/src/config/config.ts';
import { BackupKeyring } from '../../server/src/platform/backup/backup-keys.ts';
import { openFolderTarget } from '../../server/src/platform/backup/backup-target.ts';
import { listDatabasePieces } from '../../server/src/platform/backup/database-part.ts';
import { readPages } from '../../server/src/platform/backup/lists.ts';
import type { OpenedManifest } from '../../server/src/platform/backup/manifest.ts';
import type { Piece } from '../../server/src/platform/backup/pieces.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import type { Engine } from '../../server/src/platform/db/open-db.ts';
import type { TestApp } from './app.ts';
import { openConfiguredStore } from './configured-store.ts';
import { engines } from './engines.ts';
import { postgres } from './postgres.ts';

export const passphrase = 'five small grey cats';

type Env = Readonly<Record<string, string>>;
type BackupOptions = { readonly isQuick?: boolean; readonly keep?: number; readonly passphrase?: string };

const keyrings = new Map<string, BackupKeyring>();

/** One for all calls of a test file: deriving the keys takes longer than all else of a small backup. */
export function keyringOf(word = passphrase): BackupKeyring {
  const keyring = keyrings.get(word) ?? new BackupKeyring(word);
  keyrings.set(word, keyring);
  return keyring;
}

const tell = () => {};

/** Removes its files on disposal. */
export class BackupTargets implements AsyncDisposable {
  readonly #cleaners: (() => Promise<unknown>)[] = [];

  async newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-backup-'));
    this.#cleaners.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** An empty target on this database, or that of the project. */
  async newTarget(engine: Engine = engines[0]): Promise<Env> {
    const target = { RECORDPROOF_DATA: join(await this.newFolder(), 'new'), RECORDPROOF_RESERVE_BYTES: '0' };
    return { ...target, ...(await this.newDatabase(engine)) };
  }

  async newDatabase(engine: Engine = engines[0]): Promise<Env> {
    if (engine === 'sqlite') return {};
    const database = await (await postgres()).freshDatabase();
    this.#cleaners.push(() => database.drop());
    return { DATABASE_URL: database.url };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const clean of this.#cleaners.splice(0).reverse()) await clean();
  }
}

type BackedUp = { readonly app: Pick<TestApp['app'], 'database'>; readonly config: Config };

export async function backUp({ app, config }: BackedUp, to: string, options: BackupOptions = {}): Promise<Taken> {
  const keys = openServerKeys(config.keysFolder, { create: false });
  await using objects = await openConfiguredStore(config);
  await using target = openFolderTarget(to);
  const source = { config, database: app.database, keys, objects };
  const { passphrase: word, ...others } = options;
  return await writeBackup(source, { target, keyring: keyringOf(word), isQuick: false, tell, ...others });
}

type RestoreResult = { readonly config: Config; readonly restored: Restored };

/** The newest, unless another is named. */
export async function restoreTo(
  env: Env,
  from: string,
  { named, ...options }: { readonly named?: string | undefined; readonly keepGoing?: boolean } = {},
): Promise<RestoreResult> {
  const config = await readConfig([], env);
  await using target = openFolderTarget(from);
  const backup = await findBackup(target, named, keyringOf());
  const restored = await restoreBackup(config, backup, { from: target, tell, ...options });
  return { config, restored };
}

/** The names of its backups, the oldest first. */
export const listBackups = (folder: string): Promise<string[]> => openFolderTarget(folder).listManifests();

/** Reads every byte of a backup; throws `PieceDamaged`. */
export async function checkPieces({ pieces, content }: Pick<OpenedManifest, 'pieces' | 'content'>): Promise<void> {
  const checkAll = (some: readonly Piece[]) => Promise.all(some.map(one => pieces.check(one)));
  for await (const some of listDatabasePieces(pieces, content)) await checkAll(some);
  for await (const some of readPages(pieces, content.objects.pages, objectEntry)) await checkAll(some);
}

export const openNewest = (folder: string, word = passphrase): Promise<OpenedManifest> =>
  findBackup(openFolderTarget(folder), undefined, keyringOf(word));

/** The folder of the pieces, of a backup with the usual passphrase. */
export async function findPieces(folder: string, wanted: readonly Piece[]): Promise<string[]> {
  await using target = openFolderTarget(folder);
  const { pieces } = await findBackup(target, undefined, keyringOf());
  const paths = new Map((await listFilesOf(join(folder, 'objects'))).map(path => [toPieceName(path), path]));
  return wanted.map(one => {
    const path = paths.get(toPieceName(pieces.keyOf(one)));
    if (path === undefined) throw new Error(`there is no piece ${one.sha256}`);
    return path;
  });
}

const toPieceName = (path: string): string => /[0-9a-f]{64}(?==?$)/.exec(path)?.[0] ?? path;

export async function verify(config: Config, lost: ReadonlySet<number> = new Set()): Promise<Verified> {
  const schema = await openInstallation(config, migrations);
  try {
    return await verifyInstallation(config, schema, lost);
  } finally {
    await schema.database.close();
  }
}

/** Flips one bit in the middle; a second call repairs it. */
export async function alter(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

export const listFilesOf = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
