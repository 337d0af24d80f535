// A backup of an installation, beside its running servers or without them. The manifest comes last: whatever ends it before,
// there is no backup, and what was copied by then spares the next one the work.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { withoutDeletions } from '../../features/stored-objects/index.ts';
import { deriveBackupKeys, newSalt, seal } from '../../platform/backup/backup-keys.ts';
import { backUpDatabase, clearCopy, listDatabasePieces, refuseDamage } from '../../platform/backup/database-part.ts';
import { readPages } from '../../platform/backup/lists.ts';
import { BackupRefused, type Manifest, writeManifest } from '../../platform/backup/manifest.ts';
import { openPieces, type Piece, type Pieces } from '../../platform/backup/pieces.ts';
import { systemClock, toIso } from '../../platform/clock.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import { listSteps } from '../../platform/db/migrate.ts';
import type { Database } from '../../platform/db/open-db.ts';
import { createFile, errnoOf } from '../../platform/durable-files.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { version } from '../../version.ts';
import { copiedAtOnce, copyObjects, objectEntry } from './copy-objects.ts';
import { type KeyFiles, readKeyFiles, toKeyBytes } from './key-files.ts';

export type Source = {
  readonly config: Config;
  readonly database: Database;
  readonly keys: ServerKeys;
  readonly objects: ObjectStore;
};

export type Wish = {
  readonly to: string;
  readonly passphrase: string;
  /** Believe what earlier backups have written, but for its length. */
  readonly isQuick: boolean;
  /** Hears what is done next. */
  readonly tell: (what: string) => void;
};

export type Taken = { readonly path: string; readonly manifest: Manifest; readonly added: number };

export async function takeBackup(source: Source, wish: Wish): Promise<Taken> {
  await claimFolder(wish.to, source.keys.fingerprint);
  await using opened = new AsyncDisposableStack();
  const pieces = opened.use(await openPieces(wish.to));
  opened.defer(() => clearCopy(wish.to));
  const keys = await deriveBackupKeys(wish.passphrase, newSalt());
  const { config, database } = source;
  const lock = { db: database.db, engine: database.kind, clock: systemClock };
  const taken = await withoutDeletions(lock, { waits: true }, async ({ signal }) => {
    const { files, ...moment } = await copyMoment(source, wish, pieces);
    wish.tell('copying objects');
    const { added, ...copied } = await copyObjects({ db: database.db, objects: source.objects, pieces, signal });
    const manifest: Manifest = {
      format: 'recordproof-backup',
      formatVersion: 1,
      program: version,
      engine: config.db.kind,
      fingerprint: source.keys.fingerprint,
      ...moment,
      ...copied,
      salt: keys.salt,
      keys: seal(keys, toKeyBytes(files)),
    };
    if (!wish.isQuick) {
      wish.tell('reading all of it again');
      await checkPieces(pieces, manifest, signal);
    }
    return { manifest, added };
  });
  if (taken === null)
    throw new BackupRefused('another backup of this installation is under way; wait until it is over.');
  refuseDamage(wish.to);
  return { ...taken, path: await writeManifest(wish.to, taken.manifest, keys) };
}

type Moment = Pick<Manifest, 'takenAt' | 'schema' | 'database'> & { readonly files: KeyFiles };

const mostTries = 3;

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

/** Reads every byte of a backup; throws `PieceDamaged`. */
export async function checkPieces(pieces: Pieces, manifest: Manifest, signal?: AbortSignal): Promise<void> {
  const check = async (page: readonly Piece[]) => {
    signal?.throwIfAborted();
    await inParallel(page, one => pieces.check(one), copiedAtOnce);
  };
  for await (const page of listDatabasePieces(pieces, manifest)) await check(page);
  for await (const page of readPages(pieces, manifest.objects.pages, objectEntry)) await check(page);
}

const markName = 'recordproof-backups.json';
const mark = z.strictObject({ format: z.literal('recordproof-backups'), fingerprint: z.string() });

/** A folder keeps the backups of one installation, and nothing else. */
async function claimFolder(folder: string, fingerprint: string): Promise<void> {
  makeFolder(folder);
  const path = join(folder, markName);
  const text = await readFile(path, 'utf8').catch(error => {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (text !== null) {
    const found = mark.safeParse(JSON.parse(text));
    if (found.data?.fingerprint === fingerprint) return;
    throw new BackupRefused(`${folder} keeps the backups of another installation; name another folder.`);
  }
  const others = (await readdir(folder)).filter(name => name !== 'lost+found');
  if (others.length > 0) throw new BackupRefused(`${folder} holds other things; name a folder that is empty or new.`);
  const content = { format: 'recordproof-backups', fingerprint } satisfies z.infer<typeof mark>;
  await createFile(path, Buffer.from(`${JSON.stringify(content)}\n`), 0o600).catch(error => {
    if (errnoOf(error) !== 'EEXIST') throw error; // of another backup that begins just now
  });
}
