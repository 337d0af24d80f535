// A backup of an installation, beside its running servers or without them. The manifest comes last: whatever ends it before,
// there is no backup, and what was copied by then spares the next one the work.
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { withoutDeletions } from '../../features/stored-objects/index.ts';
import { BackupKeyring, type BackupKeys, newSalt, saltText, seal } from '../../platform/backup/backup-keys.ts';
import { BackupRefused } from '../../platform/backup/backup-refused.ts';
import type { BackupTarget } from '../../platform/backup/backup-target.ts';
import { backUpDatabase, clearCopy, listDatabasePieces, refuseDamage } from '../../platform/backup/database-part.ts';
import { ListWriter, readPages } from '../../platform/backup/lists.ts';
import { type Manifest, openManifest, readHeader, writeManifest } from '../../platform/backup/manifest.ts';
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
import { copiedAtOnce, copyObjects, type ObjectEntry, type ObjectTarget, objectEntry } from './copy-objects.ts';
import { type KeyFiles, readKeyFiles, toKeyBytes } from './key-files.ts';

type Source = {
  readonly config: Config;
  readonly database: Database;
  readonly keys: ServerKeys;
  readonly objects: ObjectStore;
};

type Options = {
  readonly target: BackupTarget;
  readonly passphrase: string;
  /** Believe what earlier backups have written, but for its length. */
  readonly isQuick: boolean;
  /** How many backups stay in the target; all of them when left out. */
  readonly keep?: number | undefined;
  /** Hears what is done next. */
  readonly tell: (what: string) => void;
};

export type Taken = {
  readonly path: string;
  readonly manifest: Manifest;
  readonly added: number;
  /** How many pieces of earlier backups were found damaged in the target, and written anew. */
  readonly mended: number;
  /** How many older backups were taken out. */
  readonly removed: number;
  /** The newest earlier backup, where it was made with another passphrase. */
  readonly otherPassphrase: string | null;
};

type Copied = Pick<Taken, 'manifest' | 'added' | 'mended'>;

export async function takeBackup(source: Source, options: Options): Promise<Taken> {
  const { target } = options;
  const lock = await claimTarget(target, source.keys.fingerprint);
  try {
    const keyring = new BackupKeyring(options.passphrase);
    const earlier = await findEarlier(target);
    const keys = await keyring.keysFor(await claimSalt(target, earlier));
    const otherPassphrase = await findOtherPassphrase(target, earlier, { keys, keyring });
    if (otherPassphrase !== null) options.tell(toPassphraseWarning(otherPassphrase));
    const taken = await takeAlone(source, options, { pieces: new Pieces(target.pieces, keys), keys, keyring });
    return { ...taken, otherPassphrase };
  } finally {
    lock.close();
  }
}

type Tools = { readonly pieces: Pieces; readonly keys: BackupKeys; readonly keyring: BackupKeyring };

/** No other backup of the installation is under way until the manifest is written and old ones are taken out. */
async function takeAlone(source: Source, options: Options, tools: Tools): Promise<Omit<Taken, 'otherPassphrase'>> {
  const { target, keep } = options;
  const { db, kind: engine } = source.database;
  const taken = await withoutDeletions({ db, engine, clock: systemClock }, async ({ signal }) => {
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => clearCopy(source.config.dataFolder));
    const copied = await copyProven(source, options, { ...tools, signal });
    refuseDamage(source.config.dataFolder);
    signal.throwIfAborted();
    const path = await writeManifest(target, copied.manifest, tools.keys);
    const removed = keep === undefined ? 0 : await pruneBackups(target, { ...tools, keep, signal });
    return { path, ...copied, removed };
  });
  if (taken !== null) return taken;
  throw new BackupRefused('another backup of this installation is under way; wait until it is over.');
}

const mostTries = 3;

/**
 * What earlier backups have written is believed while it is copied, and proven before it counts: what was altered goes, and the
 * next try writes it anew.
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
    options.tell('reading all of it again');
    const damaged = await dropDamaged(tools.pieces, copied.manifest, tools.signal);
    if (damaged === 0) return { manifest: copied.manifest, added, mended };
    options.tell(`writing anew what was damaged in ${options.target.name} (${damaged})`);
    mended += damaged;
  }
  throw new BackupRefused(`${options.target.name} does not keep what is written to it; name another place.`);
}

async function copyOnce(
  source: Source,
  options: Options,
  { pieces, keys, signal }: Tools & { readonly signal: AbortSignal },
): Promise<Pick<Taken, 'manifest' | 'added'>> {
  const { config, database, objects } = source;
  const { files, ...moment } = await copyMoment(source, options, pieces);
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
async function copyMoment({ config, database }: Source, { tell }: Options, pieces: Pieces): Promise<Moment> {
  for (let left = mostTries; left > 0; left -= 1) {
    const files = await readKeyFiles(config.keysFolder);
    const takenAt = toIso(systemClock.now());
    tell('copying the database');
    const part = await backUpDatabase(config.db, database, { pieces, folder: config.dataFolder });
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

/** Reads every byte of a backup, and takes out what was altered. Answers how many pieces those were. */
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
  await inParallel([...manifest.database.pages, ...manifest.objects.pages], prove, copiedAtOnce);
  if (dropped > 0) return dropped; // what they list cannot be read
  for await (const page of listPieces(pieces, manifest)) {
    signal.throwIfAborted();
    await inParallel(page, prove, copiedAtOnce);
  }
  return dropped;
}

const markName = 'recordproof-backups.json';
const saltName = 'recordproof-backups.salt';
const mark = z.strictObject({ format: z.literal('recordproof-backups'), fingerprint: z.string() });

/** A target keeps the backups of one installation, and nothing else. Answers whether it has none yet. */
async function refuseOtherUse(target: BackupTarget, fingerprint: string): Promise<boolean> {
  // In this order: whatever a rival puts there, the mark was there before.
  const names = await target.listTop();
  const text = await target.readFile(markName, largestMark);
  if (text !== null) {
    if (mark.safeParse(parseJson(text.toString('utf8'))).data?.fingerprint === fingerprint) return false;
    throw new BackupRefused(`${target.name} keeps the backups of another installation; name another folder.`);
  }
  const foreign = names.filter(name => !name.startsWith(markName)); // or what becomes of it
  if (foreign.length > 0)
    throw new BackupRefused(`${target.name} holds other things; name a folder that is empty or new.`);
  return true;
}

const largestMark = 4096;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For this process alone, until the lock is closed. */
async function claimTarget(target: BackupTarget, fingerprint: string): Promise<{ close(): unknown }> {
  await refuseOtherUse(target, fingerprint);
  const lock = await target.lock(`another backup to ${target.name} is under way; wait until it is over.`);
  if (!(await refuseOtherUse(target, fingerprint))) return lock;
  const content = { format: 'recordproof-backups', fingerprint } satisfies z.infer<typeof mark>;
  await target.createFile(markName, Buffer.from(`${JSON.stringify(content)}\n`));
  return lock;
}

type Earlier = { readonly name: string; readonly salt: string; readonly pool: string | undefined };

/** The newest backup that is there already. */
async function findEarlier(target: BackupTarget): Promise<Earlier | null> {
  const name = (await target.listManifests()).at(-1);
  if (name === undefined) return null;
  try {
    const { salt, pool } = await readHeader(target, name);
    return { name, salt, pool };
  } catch (error) {
    if (error instanceof BackupRefused) return null; // a new backup is the cure
    throw error;
  }
}

/** One for the whole target, so that backups with one passphrase share their pieces. */
async function claimSalt(target: BackupTarget, earlier: Earlier | null): Promise<string> {
  const noted = (await target.readFile(saltName, largestMark))?.toString('utf8').trimEnd();
  if (noted !== undefined) {
    if (saltText.safeParse(noted).success) return noted;
    throw new BackupRefused(`the file ${target.pathOf(saltName)} is damaged; remove it: earlier backups hold a copy.`);
  }
  const salt = earlier?.pool === undefined ? newSalt() : earlier.salt;
  await target.createFile(saltName, Buffer.from(`${salt}\n`));
  return salt;
}

/** The name of the earlier backup, unless it was made with this passphrase. */
async function findOtherPassphrase(
  target: BackupTarget,
  earlier: Earlier | null,
  { keys, keyring }: Omit<Tools, 'pieces'>,
): Promise<string | null> {
  if (earlier === null || earlier.pool === keys.pool) return null;
  if (earlier.pool !== undefined) return earlier.name;
  try {
    await openManifest(target, earlier.name, keyring); // of an earlier version: it has a salt of its own
    return null;
  } catch (error) {
    if (error instanceof BackupRefused) return earlier.name;
    throw error;
  }
}

const toPassphraseWarning = (name: string): string =>
  `WARNING: the passphrase is not the one of the earlier backup ${name}; keep both. Copying everything anew`;
