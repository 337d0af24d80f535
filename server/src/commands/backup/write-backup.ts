// Backup run: copies the database, the objects and the keys of an installation into a backup target, and writes the
// manifest that lists them.
import type { Config } from '../../config/config.ts';
import { withoutDeletions } from '../../features/stored-objects/index.ts';
import { type BackupKeyring, type BackupKeys, seal } from '../../platform/backup/backup-keys.ts';
import type { BackupTarget } from '../../platform/backup/backup-target.ts';
import { BackupRejected } from '../../platform/backup/backup-target.ts';
import { backUpDatabase, clearCopy, listDatabasePieces, rejectDamage } from '../../platform/backup/database-part.ts';
import { ListWriter, readPages } from '../../platform/backup/lists.ts';
import { type Manifest, openManifest, writeManifest } from '../../platform/backup/manifest.ts';
import { type Piece, PieceDamaged, Pieces } from '../../platform/backup/pieces.ts';
import { pruneBackups } from '../../platform/backup/prune.ts';
import { systemClock, toIso } from '../../platform/clock.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import { listSteps } from '../../platform/db/migrate.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Db } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { version } from '../../version.ts';
import { copyConcurrency, copyObjects, type ObjectEntry, type ObjectTarget, objectEntry } from './copy-objects.ts';
import { type KeyFiles, readKeyFiles, toKeyBytes } from './key-files.ts';
import { claimSalt, type Earlier, findEarlier, lockTarget, readEarlier } from './lock-target.ts';

type Source = {
  readonly config: Config;
  readonly database: Database;
  readonly keys: ServerKeys;
  readonly objects: ObjectStore;
};

type Options = {
  readonly target: BackupTarget;
  readonly keyring: BackupKeyring;
  /** Checks only the length of pieces that earlier backups wrote. */
  readonly isQuick: boolean;
  /** Number of backups to keep in the target; all if absent. */
  readonly keep?: number | undefined;
  /** Called with each step as it starts. */
  readonly tell: (what: string) => void;
};

export type Taken = {
  readonly path: string;
  readonly manifest: Manifest;
  readonly added: number;
  /** Pieces of earlier backups that were damaged in the target and have been rewritten. */
  readonly mended: number;
  /** Number of older backups removed. */
  readonly removed: number;
  /** Why older backups were not removed, or not all: this one is complete anyway. */
  readonly pruneProblem: string | null;
  /** Earlier backups with another passphrase, if the newest of them has another one. */
  readonly otherPassphrase: readonly string[];
};

type Copied = Pick<Taken, 'manifest' | 'added' | 'mended'>;

export async function writeBackup(source: Source, options: Options): Promise<Taken> {
  const { target, keyring } = options;
  const lock = await lockTarget(target, source.keys.fingerprint);
  try {
    const earlier = await findEarlier(target);
    const keys = await keyring.keysFor(await claimSalt(target, earlier));
    const otherPassphrase = await listOtherPassphrase(target, earlier, { keys, keyring });
    if (otherPassphrase.length > 0) options.tell(toPassphraseWarning(otherPassphrase));
    const taken = await takeAlone(source, options, { pieces: new Pieces(target.pieces, keys), keys, keyring });
    return { ...taken, otherPassphrase };
  } finally {
    lock.close();
  }
}

type Tools = { readonly pieces: Pieces; readonly keys: BackupKeys; readonly keyring: BackupKeyring };

/** Holds the installation's backup lock until the manifest is written and old backups are removed. */
async function takeAlone(source: Source, options: Options, tools: Tools): Promise<Omit<Taken, 'otherPassphrase'>> {
  const { target, keep } = options;
  const { db, kind: engine } = source.database;
  const taken = await withoutDeletions({ db, engine, clock: systemClock }, async ({ signal }) => {
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => clearCopy(source.config.dataFolder));
    const copied = await copyProven(source, options, { ...tools, signal });
    rejectDamage(source.config.dataFolder);
    signal.throwIfAborted();
    const { name: made, path } = await writeManifest(target, copied.manifest, tools.keys);
    const pruned = keep === undefined ? nothingPruned : await prune(target, { ...tools, keep, made, signal });
    return { path, ...copied, ...pruned };
  });
  if (taken !== null) return taken;
  throw new BackupRejected('another backup of this installation is under way; wait until it is over.');
}

const nothingPruned = { removed: 0, pruneProblem: null };

async function prune(...call: Parameters<typeof pruneBackups>): Promise<Pick<Taken, 'removed' | 'pruneProblem'>> {
  try {
    return { removed: await pruneBackups(...call), pruneProblem: null };
  } catch (error) {
    return { removed: 0, pruneProblem: error instanceof Error ? error.message : String(error) };
  }
}

const mostTries = 3;

/**
 * Pieces of earlier backups are reused without reading, and verified before the manifest counts: damaged ones are
 * removed, and the next attempt rewrites them.
 */
async function copyProven(
  source: Source,
  options: Options,
  tools: Tools & { readonly signal: AbortSignal },
): Promise<Copied> {
  let [added, mended] = [0, 0];
  for (let tries = 0; tries < mostTries; tries += 1) {
    const copied = await copyOnce(source, options, tools);
    added += copied.added;
    if (options.isQuick) return { manifest: copied.manifest, added, mended };
    options.tell('verifying the backup');
    const damaged = await dropDamaged(tools.pieces, copied.manifest, tools.signal);
    if (damaged === 0) return { manifest: copied.manifest, added, mended };
    options.tell(`replacing damaged pieces in ${options.target.name} (${damaged})`);
    mended += damaged;
  }
  throw new BackupRejected(`${options.target.name} returns other bytes than were written; name another target.`);
}

async function copyOnce(
  source: Source,
  options: Options,
  { pieces, keys, signal }: Tools & { readonly signal: AbortSignal },
): Promise<Pick<Taken, 'manifest' | 'added'>> {
  const { config, database, objects } = source;
  const { files, ...moment } = await copySnapshot(source, options, pieces);
  options.tell('copying objects');
  const { added, ...found } = await copyToPieces({ db: database.db, objects, signal }, pieces);
  const manifest: Manifest = {
    format: 'recordproof-backup',
    program: version,
    engine: config.db.kind,
    fingerprint: source.keys.fingerprint,
    ...moment,
    ...found,
    salt: keys.salt,
    keys: seal(keys.sealing, toKeyBytes(files)),
  };
  return { manifest, added };
}

/** Objects are listed in the order in which they are found. */
async function copyToPieces(
  ground: { readonly db: Db; readonly objects: ObjectStore; readonly signal: AbortSignal },
  pieces: Pieces,
): Promise<Pick<Manifest, 'objects' | 'lost'> & Pick<Taken, 'added'>> {
  const list = new ListWriter<ObjectEntry>(pieces);
  const toPiece = ({ sha256, size }: ObjectEntry): Piece => ({ sha256, size });
  const target: ObjectTarget = {
    has: entry => pieces.has(toPiece(entry)),
    copyIn: (entry, source) => pieces.copyIn(toPiece(entry), source),
    note: entry => list.add(entry),
  };
  const { count, bytes, added, lost } = await copyObjects({ ...ground, target });
  return {
    objects: { count, bytes, pages: await list.end() },
    lost: { count: lost.count, first: [...lost.first] },
    added,
  };
}

type Snapshot = Pick<Manifest, 'takenAt' | 'schema' | 'database'> & { readonly files: KeyFiles };

/** The database and the keys that it needs; retried if the keys change meanwhile. */
async function copySnapshot({ config, database }: Source, { tell }: Options, pieces: Pieces): Promise<Snapshot> {
  for (let left = mostTries; left > 0; left -= 1) {
    const files = await readKeyFiles(config.keysFolder);
    const takenAt = toIso(systemClock.now());
    tell('copying the database');
    const part = await backUpDatabase(config.db, database, { pieces, folder: config.dataFolder });
    const schema = await listSteps(database.db);
    const after = await readKeyFiles(config.keysFolder);
    if (toKeyBytes(after).equals(toKeyBytes(files))) return { takenAt, schema, database: part, files };
  }
  throw new BackupRejected('the keys were changed repeatedly while the backup was made; try again later.');
}

async function* listPieces(pieces: Pieces, manifest: Manifest): AsyncGenerator<readonly Piece[]> {
  yield* listDatabasePieces(pieces, manifest);
  yield* readPages(pieces, manifest.objects.pages, objectEntry);
}

/** Reads every byte of a backup and removes damaged pieces. Returns their number. */
async function dropDamaged(pieces: Pieces, manifest: Manifest, signal: AbortSignal): Promise<number> {
  let dropped = 0;
  const prove = async (one: Piece) => {
    try {
      await pieces.check(one);
    } catch (error) {
      if (!(error instanceof PieceDamaged)) throw error;
      await pieces.remove(one);
      dropped += 1;
    }
  };
  await inParallel([...manifest.database.pages, ...manifest.objects.pages], prove, copyConcurrency);
  if (dropped > 0) return dropped; // damaged lists cannot be followed
  for await (const page of listPieces(pieces, manifest)) {
    signal.throwIfAborted();
    await inParallel(page, prove, copyConcurrency);
  }
  return dropped;
}

/** Empty if the newest has this passphrase: the warning was given before. */
async function listOtherPassphrase(
  target: BackupTarget,
  newest: Earlier | null,
  tools: Omit<Tools, 'pieces'>,
): Promise<string[]> {
  if (!(await hasOtherPassphrase(target, newest, tools))) return [];
  const others: string[] = [];
  for (const name of await target.listManifests())
    if (await hasOtherPassphrase(target, await readEarlier(target, name), tools)) others.push(name);
  return others;
}

async function hasOtherPassphrase(
  target: BackupTarget,
  earlier: Earlier | null,
  { keys, keyring }: Omit<Tools, 'pieces'>,
): Promise<boolean> {
  if (earlier === null || earlier.keyId === keys.keyId) return false;
  if (earlier.keyId !== undefined) return true;
  try {
    await openManifest(target, earlier.name, keyring); // earlier versions have one salt per backup
    return false;
  } catch (error) {
    if (error instanceof BackupRejected) return true;
    throw error;
  }
}

const toPassphraseWarning = (names: readonly string[]): string =>
  `WARNING: the passphrase is not the one of these earlier backups: ${names.join(', ')}; keep both. Copying everything anew`;
