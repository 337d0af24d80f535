// What in the object store nobody needs, and why; with --remove it goes. What is about to be written, or was until just now, is
// left alone: only what lies there for longer than any upload takes is called unneeded.
import { openStoreOf } from '../compose/open-platform.ts';
import { getDefaultTenant } from '../features/accounts/index.ts';
import { appendAudit } from '../features/audit/index.ts';
import { listWaiting, type Waiting, withoutDeletions } from '../features/stored-objects/index.ts';
import { localCall } from '../platform/call.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/open-db.ts';
import type { Db } from '../platform/db/tables.ts';
import { StartRefused } from '../platform/installation.ts';
import type { ListedObject, ObjectStore } from '../platform/objects/object-store.ts';
import { listKnown } from './backup/known-objects.ts';
import { exitCodes } from './exit.ts';
import { openLocal, parseLocalArgs } from './local.ts';

const restMs = 24 * 3600 * 1000;
const keysAtOnce = 500;
const mostNamed = 1000;

type Unneeded = {
  readonly count: number;
  readonly bytes: number;
  /** The first of them. */
  readonly named: readonly { readonly key: string; readonly size: number }[];
};

export async function gc(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(args, [], ['remove', 'json']);
  await using local = await openLocal(configArgs);
  const { database, config, keys } = local;
  await using objects = await openStoreOf(config, keys, () => '', systemClock);
  const isRemoving = values.remove === true;
  const unneeded = await collectUnneeded({ database, objects, now: systemClock.now() }, isRemoving);
  if (isRemoving && unneeded.count > 0) await noteRemoval(database.db, unneeded);
  const report = { unneeded, waiting: await listWaiting(database.db), removed: isRemoving };
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : toText(report));
  return exitCodes.ok;
}

type Ground = { readonly database: Database; readonly objects: ObjectStore; readonly now: number };

/** Looks only, unless told to remove; then no backup may be under way. */
export async function collectUnneeded(ground: Ground, isRemoving: boolean): Promise<Unneeded> {
  const { db, kind: engine } = ground.database;
  if (!isRemoving) return sweep(ground, null);
  const lock = { db, engine, clock: systemClock };
  const removed = await withoutDeletions(lock, { waits: false }, ({ signal }) => sweep(ground, signal));
  if (removed === null) throw new StartRefused('a backup is under way; wait until it is over.');
  return removed;
}

/** A signal says that what is found is removed, until it is aborted. */
async function sweep({ database: { db }, objects, now }: Ground, removing: AbortSignal | null): Promise<Unneeded> {
  const named: { key: string; size: number }[] = [];
  let [count, bytes] = [0, 0];
  for await (const some of pagesOf(objects.list(''))) {
    const old = some.filter(({ modifiedAt }) => modifiedAt.getTime() < now - restMs);
    const known = await listKnown(
      db,
      old.map(({ key }) => key),
    );
    for (const { key, size } of old.filter(object => !known.has(object.key))) {
      removing?.throwIfAborted();
      if (removing !== null) await objects.delete(key);
      if (named.length < mostNamed) named.push({ key, size });
      count += 1;
      bytes += size;
    }
  }
  return { count, bytes, named };
}

async function* pagesOf(listed: AsyncIterable<ListedObject>): AsyncGenerator<ListedObject[]> {
  let page: ListedObject[] = [];
  for await (const object of listed) {
    page.push(object);
    if (page.length < keysAtOnce) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function noteRemoval(db: Db, { count, bytes }: Unneeded): Promise<void> {
  const now = systemClock.now();
  await db.transaction().execute(async tx => {
    const entry = {
      module: 'server',
      operation: 'gc',
      description: 'objects that no row speaks of removed',
      param: { count, bytes },
    };
    await appendAudit(tx, localCall('gc', await getDefaultTenant(tx), now), entry, now);
  });
}

type Report = { readonly unneeded: Unneeded; readonly waiting: readonly Waiting[]; readonly removed: boolean };

const reasons: Readonly<Record<Waiting['state'], string>> = {
  LIVE: 'let go by their last holder; looked at by the server within ten minutes',
  DELETING: 'given up; deleted by the server within ten minutes',
  GONE: 'deleted; looked after once more a day later',
};

function toText({ unneeded: { count, bytes, named }, waiting, removed }: Report): string {
  const lines = [
    ...waiting.map(({ state, objects, bytes: size }) => `${objects} objects (${size} bytes) are ${reasons[state]}`),
    `${count} objects (${bytes} bytes) ${removed ? 'were removed' : 'could be removed (--remove)'}: no row speaks of them, and they are a day old`,
    ...named.map(({ key, size }) => `  ${size}\t${key}`),
    ...(count > named.length ? [`  and ${count - named.length} more`] : []),
  ];
  return lines.map(line => `${line}\n`).join('');
}
