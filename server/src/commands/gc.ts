// `gc`: objects that nothing refers to, and those that wait for deletion. Report only: the server deletes released
// objects itself, and a sweep removes the rest after its protection period.

import { openStoreOf } from '../compose/open-store.ts';
import { listWaiting, type Waiting } from '../features/stored-objects/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import type { ListedObject, ObjectStore } from '../platform/objects/object-store.ts';
import { listKnown } from './backup/known-objects.ts';
import type { Input } from './declared/local.ts';
import { openLocal } from './local.ts';
import { answer, linesIf, toLines } from './outcome.ts';

/** Younger objects may belong to an upload in progress. */
const restMs = 24 * 3600 * 1000;
const keysAtOnce = 500;
const mostNamed = 1000;

type Unneeded = {
  readonly count: number;
  readonly bytes: number;
  /** The first `mostNamed`. */
  readonly named: readonly { readonly key: string; readonly size: number }[];
};

export async function gc({ values, configArgs }: Input): Promise<number> {
  await using local = await openLocal(configArgs);
  const { database, config, keys } = local;
  await using objects = await openStoreOf(config, keys);
  const unneeded = await findUnneeded({ db: database.db, objects, now: systemClock.now() });
  const report = { unneeded, waiting: await listWaiting(database.db) };
  return answer(values.json, { json: report, text: toText(report) });
}

type CollectionContext = { readonly db: Db; readonly objects: Pick<ObjectStore, 'list'>; readonly now: number };

export async function findUnneeded({ db, objects, now }: CollectionContext): Promise<Unneeded> {
  const named: { key: string; size: number }[] = [];
  let [count, bytes] = [0, 0];
  for await (const some of pagesOf(objects.list(''))) {
    const old = some.filter(({ modifiedAt }) => modifiedAt.getTime() < now - restMs);
    const known = await listKnown(
      db,
      old.map(({ key }) => key),
    );
    for (const { key, size } of old.filter(object => !known.has(object.key))) {
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

type Report = { readonly unneeded: Unneeded; readonly waiting: readonly Waiting[] };

const reasons: Readonly<Record<Waiting['state'], string>> = {
  LIVE: 'no longer referenced; checked by the server within ten minutes',
  DELETING: 'released; deleted by the server within ten minutes',
  GONE: 'deleted; checked once more a day later',
};

function toText({ unneeded: { count, bytes, named }, waiting }: Report): string {
  const lines = [
    ...waiting.map(({ state, objects, bytes: size }) => `${objects} objects (${size} bytes) are ${reasons[state]}`),
    `${count} objects (${bytes} bytes) are older than a day and not referenced in the database`,
    ...linesIf(count > 0, 'to remove them: recordproof admin sweep (docs/guide/sweep.md)'),
    ...named.map(({ key, size }) => `  ${size}\t${key}`),
    ...linesIf(count > named.length, `  and ${count - named.length} more`),
  ];
  return toLines(lines);
}
