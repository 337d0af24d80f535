// Counters of verified objects, by tenant and hour: the status of the scrub is a sum over some hundred rows, however
// many objects there are. They change in the transactions that change the objects, as the last statements before the
// commit and in the order of their keys, so that two transactions cannot wait for each other.
import { sql } from 'kysely';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

const hourMs = 3_600_000;
/** In place of an hour: objects that could not be read. */
const unreadableHour = -1;

/** The columns of an object that determine its counter. */
type CountedObject = {
  readonly tenant_id: Key;
  readonly size: number;
  readonly verified_at: Time;
  readonly failed_at: Time | null;
};

/** The start of the hour: what is due is decided by whole hours, as it is counted. */
export const toHourStart = (time: Time): Time => time - (time % hourMs);

const hourOf = ({ verified_at, failed_at }: CountedObject): number =>
  failed_at === null ? Math.floor(verified_at / hourMs) : unreadableHour;

/** Objects that the scrub has not seen yet (`verified_at` is 0) count nowhere. */
const isCounted = ({ verified_at }: CountedObject): boolean => verified_at > 0;

type Count = { readonly tenant_id: Key; readonly hour: number; objects: number; bytes: number };

function addTo(counts: Map<string, Count>, object: CountedObject, sign: 1 | -1): void {
  const [tenant_id, hour] = [object.tenant_id, hourOf(object)];
  const key = `${tenant_id}:${hour}`;
  const count = counts.get(key) ?? { tenant_id, hour, objects: 0, bytes: 0 };
  count.objects += sign;
  count.bytes += sign * object.size;
  counts.set(key, count);
}

type CountChange = { readonly from?: readonly CountedObject[]; readonly to?: readonly CountedObject[] };

/** Counts live objects as they are now instead of as they were. */
export async function moveCounts(tx: Tx, { from = [], to = [] }: CountChange): Promise<void> {
  const counts = new Map<string, Count>();
  for (const object of from.filter(isCounted)) addTo(counts, object, -1);
  for (const object of to.filter(isCounted)) addTo(counts, object, 1);
  const changes = [...counts.values()].filter(({ objects, bytes }) => objects !== 0 || bytes !== 0);
  for (const change of changes.sort((a, b) => a.tenant_id - b.tenant_id || a.hour - b.hour)) {
    await tx
      .insertInto('stored_object_hour')
      .values(change)
      .onConflict(conflict =>
        conflict.columns(['tenant_id', 'hour']).doUpdateSet({
          objects: sql`stored_object_hour.objects + excluded.objects`,
          bytes: sql`stored_object_hour.bytes + excluded.bytes`,
        }),
      )
      .execute();
    const isEmpty = tx.deleteFrom('stored_object_hour').where('objects', '=', 0);
    if (change.objects < 0)
      await isEmpty.where('tenant_id', '=', change.tenant_id).where('hour', '=', change.hour).execute();
  }
}

/** Objects that could not be read, of all tenants. */
export async function countFailed(db: Db): Promise<number> {
  const { count } = await selectWhere(db, 'stored_object_hour', { hour: unreadableHour })
    .select(eb => eb.fn.sum<number | null>('objects').as('count'))
    .executeTakeFirstOrThrow();
  return Number(count ?? 0);
}

type VerifiedFigures = {
  readonly objects: number;
  readonly bytes: number;
  readonly dueObjects: number;
  readonly dueBytes: number;
  readonly unreadableObjects: number;
  readonly oldestVerifiedAt: Time | null;
};

/** Of one tenant; `before`, the start of an hour, says what is due. */
export async function countVerified(db: Db, tenantId: Key, before: Time): Promise<VerifiedFigures> {
  const figures = { objects: 0, bytes: 0, dueObjects: 0, dueBytes: 0, unreadableObjects: 0 };
  let oldestVerifiedAt: Time | null = null;
  const rows = await selectWhere(db, 'stored_object_hour', { tenant_id: tenantId })
    .select(['hour', 'objects', 'bytes'])
    .orderBy('hour')
    .execute();
  for (const { hour, objects, bytes } of rows) {
    figures.objects += objects;
    figures.bytes += bytes;
    if (hour === unreadableHour) figures.unreadableObjects = objects;
    else oldestVerifiedAt ??= hour * hourMs;
    if (hour !== unreadableHour && hour * hourMs < before) {
      figures.dueObjects += objects;
      figures.dueBytes += bytes;
    }
  }
  return { ...figures, oldestVerifiedAt };
}
