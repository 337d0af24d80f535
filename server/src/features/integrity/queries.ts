// All SQL on integrity alerts.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import type { AlertSeverity, AlertStatus, AlertType, Resolution } from '@recordproof/shared/api/integrity.ts';
import type { Selectable } from 'kysely';
import { findPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { findFirst, findWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { objectTypes } from './findings.ts';

export type AlertRow = Selectable<Tables['integrity_alert']>;

type NewAlert = Pick<AlertRow, 'tenant_id' | 'file_id' | 'evidence' | 'actual_hash' | 'chain_hash' | 'seen_sharers'> & {
  readonly alert_type: AlertType;
  readonly severity: AlertSeverity;
};

/** Returns null if the same finding is already open. */
export async function insertAlert(tx: Tx, alert: NewAlert, now: Time): Promise<Key | null> {
  const row = await tx
    .insertInto('integrity_alert')
    .values({ ...alert, status: 'PENDING', created_at: now, updated_at: now, looked_at: now, healed_chunks: 0 })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export const findAlert = (db: Db, tenantId: Key, id: Key): Promise<AlertRow | null> =>
  findWhere(db, 'integrity_alert', { tenant_id: tenantId, id });

type AlertFilter = PageRequest & {
  readonly status?: AlertStatus | undefined;
  readonly severity?: AlertSeverity | undefined;
  readonly type?: AlertType | undefined;
  readonly fileId?: Key | undefined;
};

const sortColumns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

export function listAlerts(db: Db, tenantId: Key, filter: AlertFilter): Promise<RowPage<AlertRow>> {
  const { status, severity, type, fileId } = filter;
  let matching = db.selectFrom('integrity_alert').where('tenant_id', '=', tenantId);
  if (status !== undefined) matching = matching.where('status', '=', status);
  if (severity !== undefined) matching = matching.where('severity', '=', severity);
  if (type !== undefined) matching = matching.where('alert_type', '=', type);
  if (fileId !== undefined) matching = matching.where('file_id', '=', fileId);
  const { column, direction } = toOrder(filter, sortColumns);
  return findPage(matching, filter, query => query.selectAll().orderBy(column, direction).orderBy('id', direction));
}

type Transition = {
  readonly from: readonly AlertStatus[];
  readonly set: Partial<Omit<AlertRow, 'id'>>;
};

/** Returns null if it is not in one of the states. Of concurrent calls one succeeds. */
export const moveAlert = (tx: Tx, tenantId: Key, id: Key, { from, set }: Transition): Promise<AlertRow | null> =>
  findFirst(
    tx
      .updateTable('integrity_alert')
      .set(set)
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .where('status', 'in', from)
      .returningAll(),
  );

export async function countHealed(tx: Tx, { tenant_id, id }: AlertRow, chunks: number): Promise<void> {
  await tx
    .updateTable('integrity_alert')
    .set(eb => ({ healed_chunks: eb('healed_chunks', '+', chunks) }))
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute();
}

type Healed = {
  readonly resolution: Resolution;
  readonly note: string;
  readonly resolvedBy: Key | null;
};

/** Resolves all open alerts on the objects of the file, with how they were resolved. */
export const resolveObjectAlerts = (
  tx: Tx,
  { tenantId, fileId }: { readonly tenantId: Key; readonly fileId: Key },
  { resolution, note, resolvedBy }: Healed,
  now: Time,
): Promise<AlertRow[]> =>
  tx
    .updateTable('integrity_alert')
    .set({ status: 'RESOLVED', resolution, note, resolved_by: resolvedBy, resolved_at: now, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', fileId)
    .where('alert_type', 'in', objectTypes)
    .where('status', '<>', 'RESOLVED')
    .returningAll()
    .execute();

export type OpenDamage = { tenant_id: Key; file_id: Key; seen_sharers: string };

const openObjectAlerts = (db: Db) =>
  db.selectFrom('integrity_alert').where('alert_type', 'in', objectTypes).where('status', '<>', 'RESOLVED');

/** Files of all tenants with open alerts on their objects, least recently checked first. */
export const listOpenDamage = (db: Db, limit: number): Promise<OpenDamage[]> =>
  openObjectAlerts(db)
    .select(eb => ['tenant_id', 'file_id', eb.fn.min<string>('seen_sharers').as('seen_sharers')])
    .groupBy(['tenant_id', 'file_id'])
    .orderBy(eb => eb.fn.min('looked_at'))
    .limit(limit)
    .execute();

/** Returns which of the files have open alerts on their objects. */
export async function findDamaged(db: Db, tenantId: Key, fileIds: readonly Key[]): Promise<ReadonlySet<Key>> {
  if (fileIds.length === 0) return new Set();
  const query = openObjectAlerts(db)
    .select('file_id')
    .where('tenant_id', '=', tenantId)
    .where('file_id', 'in', fileIds);
  const rows = await query.execute();
  return new Set(rows.map(row => row.file_id));
}

/** An open alert on the objects of the file; null if there is none. */
export async function findObjectAlert(db: Db, tenantId: Key, fileId: Key): Promise<AlertRow | null> {
  const query = openObjectAlerts(db).selectAll().where('tenant_id', '=', tenantId).where('file_id', '=', fileId);
  return (await query.limit(1).executeTakeFirst()) ?? null;
}

export async function noteCheck(db: Db, { tenant_id, file_id, seen_sharers }: OpenDamage, now: Time): Promise<void> {
  await db
    .updateTable('integrity_alert')
    .set({ looked_at: now, seen_sharers })
    .where('tenant_id', '=', tenant_id)
    .where('file_id', '=', file_id)
    .where('status', '<>', 'RESOLVED')
    .execute();
}

const mostNewest = 5;

/** For a tenant's dashboard: the number of open alerts, and the newest ones. */
export async function findOpenAlerts(db: Db, tenantId: Key) {
  const open = db.selectFrom('integrity_alert').where('tenant_id', '=', tenantId).where('status', '<>', 'RESOLVED');
  const { count } = await open.select(eb => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  const newest = await open
    .select(['id', 'alert_type', 'severity', 'created_at'])
    .orderBy('id', 'desc')
    .limit(mostNewest)
    .execute();
  return { unresolved: count, newest };
}

/** Without those on purged files. */
const countedAlerts = (db: Db) =>
  db
    .selectFrom('integrity_alert')
    .innerJoin('file', 'file.id', 'integrity_alert.file_id')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('integrity_alert.status', '<>', 'RESOLVED')
    .where('file.objects_released_at', 'is', null);

/** Of all tenants if none is given. */
export async function countUnresolved(db: Db, tenantId?: Key): Promise<number> {
  const { count } = await countedAlerts(db)
    .$if(tenantId !== undefined, query => query.where('integrity_alert.tenant_id', '=', tenantId as Key))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** As `countUnresolved`, for every tenant that has any. */
export async function countUnresolvedByTenant(db: Db): Promise<ReadonlyMap<Key, number>> {
  const query = countedAlerts(db).select('integrity_alert.tenant_id').groupBy('integrity_alert.tenant_id');
  const rows = await query.execute();
  return new Map(rows.map(({ tenant_id, count }) => [tenant_id, Number(count)]));
}
