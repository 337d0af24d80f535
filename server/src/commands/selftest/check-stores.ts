// Selftest of storage: disk, database, object store. Writes to the database are rolled back.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openStoreAlone } from '../../compose/installation-halves.ts';
import type { Config } from '../../config/config.ts';
import { openDatabase } from '../../platform/db/open-db.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { inspectDisk } from '../doctor/inspect-machine.ts';
import { type Check, failed, ok, runCheck } from './check.ts';
import type { Scratch } from './scratch.ts';

const mebibyte = 1_048_576;
const writtenMebibytes = 16;
const syncs = 20;

const diskRemedy = 'Free room on the disk, and check that the user of the server owns the data folder.';

export const checkDisk = (config: Config, prepare: () => Promise<Scratch>): Promise<Check> =>
  runCheck('disk', diskRemedy, async () => {
    const findings = await inspectDisk(config);
    const error = findings.find(({ status }) => status === 'error');
    if (error) return failed(error.found, error.remedy ?? diskRemedy);
    const { folder, config: scratch } = await prepare();
    const { objects } = scratch;
    const target = objects.kind === 'disk' ? objects.folder : folder;
    makeFolder(target);
    const { bytesPerSecond, syncMs } = await measureWrites(join(target, 'written'));
    const speed = `writes ${Math.round(bytesPerSecond / mebibyte)} MiB/s, a synced write takes ${syncMs.toFixed(1)} ms`;
    return ok([...findings.map(({ found }) => found), speed].join('; '));
  });

async function measureWrites(path: string): Promise<{ bytesPerSecond: number; syncMs: number }> {
  await using file = await open(path, 'w');
  const block = randomBytes(mebibyte);
  const startedAt = performance.now();
  for (let written = 0; written < writtenMebibytes; written += 1) await file.writeFile(block);
  await file.sync();
  const writtenAt = performance.now();
  for (let synced = 0; synced < syncs; synced += 1) {
    await file.write(block.subarray(0, 4096));
    await file.datasync();
  }
  const endedAt = performance.now();
  const seconds = Math.max(0.001, (writtenAt - startedAt) / 1000);
  return { bytesPerSecond: (writtenMebibytes * mebibyte) / seconds, syncMs: (endedAt - writtenAt) / syncs };
}

const databaseRemedy = 'Start the database, or correct DATABASE_URL; run: recordproof-server doctor';

class RolledBack extends Error {}

/** Requires an existing installation. */
export const checkDatabase = ({ db: options }: Config): Promise<Check> =>
  runCheck('database', databaseRemedy, async () => {
    await using database = await openDatabase(options);
    const { kind, db } = database;
    await db
      .transaction()
      .execute(async tx => {
        await sql`create table recordproof_selftest (value integer)`.execute(tx);
        await sql`insert into recordproof_selftest (value) values (1)`.execute(tx);
        throw new RolledBack();
      })
      .catch(ignoreRollback);
    if (kind === 'sqlite') return ok('SQLite takes writes; nothing was committed');
    const { rows } = await sql<{ v: string }>`select current_setting('server_version') as v`.execute(db);
    return ok(`PostgreSQL ${rows[0]?.v ?? ''} takes writes; nothing was committed`);
  });

function ignoreRollback(error: unknown): void {
  if (!(error instanceof RolledBack)) throw error;
}

const objectBytes = mebibyte;

export const checkObjects = ({ objects: real }: Config, { config }: Scratch): Promise<Check> => {
  const remedy =
    real.kind === 'disk'
      ? 'Check the disk and the owner of the folder of the objects.'
      : 'Check RECORDPROOF_S3_ENDPOINTS, RECORDPROOF_S3_BUCKET and the keys: the server writes, reads, lists and deletes.';
  return runCheck('object-store', remedy, async () => {
    if (real.kind === 'disk' && !existsSync(real.folder)) return failed(`${real.folder} is not there`, remedy);
    await using store = await openStoreAlone(toBeside(config));
    const { healthyNodes, totalNodes } = await store.probe();
    const bytes = randomBytes(objectBytes);
    const key = 'object';
    const { sha256 } = await store.put(key, [bytes], { size: bytes.length });
    const listed: string[] = [];
    for await (const object of store.list('')) listed.push(object.key);
    if (listed.join() !== key) return failed('a stored object is not in the list', remedy);
    if ((await store.digest(key)).sha256 !== sha256)
      return failed('a stored object came back with other bytes', remedy);
    await store.delete(key);
    if ((await store.findHead(key)) !== null) return failed('a deleted object is still there', remedy);
    const nodes = real.kind === 's3' ? `; ${healthyNodes} of ${totalNodes} addresses serve the bucket` : '';
    return healthyNodes === totalNodes
      ? ok(`${real.kind === 's3' ? 'S3' : 'the disk'} stores, lists, reads and deletes${nodes}`)
      : failed(nodes.slice(2), 'Bring them back, or take them out of s3-endpoints.');
  });
};

/** Objects go to a prefix or folder next to the scratch installation, which lists all of its own. */
function toBeside({ objects }: Config): Pick<Config, 'objects'> {
  return objects.kind === 's3'
    ? { objects: { ...objects, prefix: `${objects.prefix}beside/` } }
    : { objects: { ...objects, folder: join(objects.folder, 'beside') } };
}
