// A backup of an installation, beside its running servers or without them. The manifest comes last: whatever ends it before,
// there is no backup, and what was copied by then spares the next one the work.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { withoutDeletions } from '../../features/stored-objects/index.ts';
import { type BackupKeys, deriveBackupKeys, newSalt, seal } from '../../platform/backup/backup-keys.ts';
import { backUpDatabase, clearCopy, listDatabasePieces, refuseDamage } from '../../platform/backup/database-part.ts';
import { ListWriter, readPages } from '../../platform/backup/lists.ts';
import { BackupRefused, type Manifest, writeManifest } from '../../platform/backup/manifest.ts';
import { openPieces, type Piece, PieceDamaged, type Pieces } from '../../platform/backup/pieces.ts';
import { pruneBackups } from '../../platform/backup/prune.ts';
import { systemClock, toIso } from '../../platform/clock.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import { listSteps } from '../../platform/db/migrate.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Db } from '../../platform/db/tables.ts';
import { createFile, errnoOf } from '../../platform/durable-files.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { type Lock, takeLock } from '../../platform/installation.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { FileRefused, readRegularFile } from '../../platform/read-bounded.ts';
import { version } from '../../version.ts';
import { copiedAtOnce, copyObjects, type ObjectEntry, type ObjectTarget, objectEntry } from './copy-objects.ts';
import { type KeyFiles, readKeyFiles, toKeyBytes } from './key-files.ts';

type Source = {
  readonly config: Config;
  readonly database: Database;
  readonly keys: ServerKeys;
  readonly objects: ObjectStore;
};

type Wish = {
  readonly to: string;
  readonly passphrase: string;
  /** Believe what earlier backups have written, but for its length. */
  readonly isQuick: boolean;
  /** How many backups stay in the folder; all of them when left out. */
  readonly keep?: number | undefined;
  /** Hears what is done next. */
  readonly tell: (what: string) => void;
};

export type Taken = {
  readonly path: string;
  readonly manifest: Manifest;
  readonly added: number;
  /** How many pieces of earlier backups were found damaged in the folder, and written anew. */
  readonly mended: number;
  /** How many older backups were taken out. */
  readonly removed: number;
};

type Copied = Pick<Taken, 'manifest' | 'added' | 'mended'>;

export async function takeBackup(source: Source, wish: Wish): Promise<Taken> {
  const { to, keep } = wish;
  await using opened = new AsyncDisposableStack();
  const lock = await claimFolder(to, source.keys.fingerprint);
  opened.defer(() => void lock.close());
  const pieces = opened.use(await openPieces(to));
  opened.defer(() => clearCopy(to));
  const keys = await deriveBackupKeys(wish.passphrase, newSalt());
  const copied = await copyAll(source, wish, { pieces, keys });
  refuseDamage(to);
  const path = await writeManifest(to, copied.manifest, keys);
  const removed = keep === undefined ? 0 : (await pruneBackups(to, pieces, keep)).backups;
  return { path, ...copied, removed };
}

type Tools = { readonly pieces: Pieces; readonly keys: BackupKeys };

async function copyAll(source: Source, wish: Wish, tools: Tools): Promise<Copied> {
  const { db, kind: engine } = source.database;
  const copied = await withoutDeletions({ db, engine, clock: systemClock }, ({ signal }) =>
    copyProven(source, wish, { ...tools, signal }),
  );
  if (copied !== null) return copied;
  throw new BackupRefused('another backup of this installation is under way; wait until it is over.');
}

const mostTries = 3;

/**
 * What earlier backups have written is believed while it is copied, and proven before it counts: what was altered goes, and the
 * next try writes it anew.
 */
async function copyProven(
  source: Source,
  wish: Wish,
  tools: Tools & { readonly signal: AbortSignal },
): Promise<Copied> {
  let [added, mended] = [0, 0];
  for (let tries = 0; tries < mostTries; tries += 1) {
    const copied = await copyOnce(source, wish, tools);
    added += copied.added;
    if (wish.isQuick) return { manifest: copied.manifest, added, mended };
    wish.tell('reading all of it again');
    const damaged = await dropDamaged(tools.pieces, copied.manifest, tools.signal);
    if (damaged === 0) return { manifest: copied.manifest, added, mended };
    wish.tell(`writing anew what was damaged in ${wish.to} (${damaged})`);
    mended += damaged;
  }
  throw new BackupRefused(`${wish.to} does not keep what is written to it; name a folder on another disk.`);
}

async function copyOnce(
  source: Source,
  wish: Wish,
  { pieces, keys, signal }: Tools & { readonly signal: AbortSignal },
): Promise<Pick<Taken, 'manifest' | 'added'>> {
  const { config, database, objects } = source;
  const { files, ...moment } = await copyMoment(source, wish, pieces);
  wish.tell('copying objects');
  const { added, ...found } = await copyToPieces({ db: database.db, objects, signal }, pieces);
  const manifest: Manifest = {
    format: 'recordproof-backup',
    formatVersion: 1,
    program: version,
    engine: config.db.kind,
    fingerprint: source.keys.fingerprint,
    ...moment,
    ...found,
    salt: keys.salt,
    keys: seal(keys, toKeyBytes(files)),
  };
  return { manifest, added };
}

/** Listed in the order in which they are found. */
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

type Moment = Pick<Manifest, 'takenAt' | 'schema' | 'database'> & { readonly files: KeyFiles };

/** The database, and the keys that it needs: a change of keys meanwhile makes another try. */
async function copyMoment({ config, database }: Source, { to, tell }: Wish, pieces: Pieces): Promise<Moment> {
  for (let left = mostTries; left > 0; left -= 1) {
    const files = await readKeyFiles(config.keysFolder);
    const takenAt = toIso(systemClock.now());
    tell('copying the database');
    const part = await backUpDatabase(config.db, database, { pieces, folder: to });
    const schema = await listSteps(database.db);
    const after = await readKeyFiles(config.keysFolder);
    if (toKeyBytes(after).equals(toKeyBytes(files))) return { takenAt, schema, database: part, files };
  }
  throw new BackupRefused('the keys were changed again and again while the backup was made; try later.');
}

async function* listPieces(pieces: Pieces, manifest: Manifest): AsyncGenerator<readonly Piece[]> {
  yield* listDatabasePieces(pieces, manifest);
  yield* readPages(pieces, manifest.objects.pages, objectEntry);
}

/** Reads every byte of a backup; throws `PieceDamaged`. */
export async function checkPieces(pieces: Pieces, manifest: Manifest): Promise<void> {
  for await (const page of listPieces(pieces, manifest)) await inParallel(page, one => pieces.check(one), copiedAtOnce);
}

/** Reads every byte as well, and takes out what was altered. Answers how many pieces those were. */
async function dropDamaged(pieces: Pieces, manifest: Manifest, signal: AbortSignal): Promise<number> {
  let dropped = 0;
  const prove = async (one: Piece) => {
    try {
      await pieces.check(one);
    } catch (error) {
      if (!(error instanceof PieceDamaged)) throw error;
      await pieces.remove(one.sha256);
      dropped += 1;
    }
  };
  await inParallel([...manifest.database.pages, ...manifest.objects.pages], prove, copiedAtOnce);
  if (dropped > 0) return dropped; // what they list cannot be read
  for await (const page of listPieces(pieces, manifest)) {
    signal.throwIfAborted();
    await inParallel(page, prove, copiedAtOnce);
  }
  return dropped;
}

const markName = 'recordproof-backups.json';
const lockName = 'backup.lock';
const mark = z.strictObject({ format: z.literal('recordproof-backups'), fingerprint: z.string() });

/** A folder keeps the backups of one installation, and nothing else. Answers whether it has none yet. */
async function refuseOtherUse(folder: string, fingerprint: string): Promise<boolean> {
  // In this order: whatever a rival puts there, the mark was there before.
  const names = await readdir(folder);
  const text = await readMark(join(folder, markName));
  if (text !== null) {
    if (mark.safeParse(parseJson(text)).data?.fingerprint === fingerprint) return false;
    throw new BackupRefused(`${folder} keeps the backups of another installation; name another folder.`);
  }
  const own = [markName, lockName]; // and what comes and goes beside them
  const foreign = names.filter(name => name !== 'lost+found' && !own.some(start => name.startsWith(start)));
  if (foreign.length > 0) throw new BackupRefused(`${folder} holds other things; name a folder that is empty or new.`);
  return true;
}

const largestMark = 4096;

async function readMark(path: string): Promise<string | null> {
  try {
    return (await readRegularFile(path, largestMark)).toString('utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error instanceof FileRefused ? new BackupRefused(`the file ${path} ${error.message}.`) : error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For this process alone, until the lock is closed. */
async function claimFolder(folder: string, fingerprint: string): Promise<Lock> {
  makeFolder(folder);
  await refuseOtherUse(folder, fingerprint);
  const lock = await takeLock(
    join(folder, lockName),
    `another backup to ${folder} is under way; wait until it is over.`,
  );
  if (!(await refuseOtherUse(folder, fingerprint))) return lock;
  const content = { format: 'recordproof-backups', fingerprint } satisfies z.infer<typeof mark>;
  await createFile(join(folder, markName), Buffer.from(`${JSON.stringify(content)}\n`), 0o600);
  return lock;
}
