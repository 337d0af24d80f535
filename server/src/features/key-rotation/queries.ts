// SQL on policies of key rotation, and run queries specific to key rotation.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Selectable, sql } from 'kysely';
import { findFirst, findWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type PolicyRow = Selectable<Tables['key_rotation_policy']>;
export type RunRow = Selectable<Tables['key_rotation_run']>;

export const findPolicy = (db: Db, tenantId: Key): Promise<PolicyRow | null> =>
  findWhere(db, 'key_rotation_policy', { tenant_id: tenantId });

export type PolicyChange = Omit<PolicyRow, 'id' | 'tenant_id' | 'version'>;

/** Target, rate and interval: all columns except the state of schedule and retirement. */
const termColumns = [
  'provider', 'provider_contract', 'provider_key_version', 'logical_key_version', 'batch_size',
  'max_items_per_minute', 'max_attempts', 'initial_backoff_seconds', 'max_backoff_seconds', 'lease_seconds',
  'grace_period_seconds', 'schedule_interval_seconds',
] as const satisfies readonly (keyof PolicyChange)[]; // biome-ignore format: a list

const isOtherPolicy = sql<boolean>`(${sql.join(
  [
    ...termColumns.map(name => sql`excluded.${sql.ref(name)} is distinct from key_rotation_policy.${sql.ref(name)}`),
    sql`(excluded.next_run_at is null) <> (key_rotation_policy.next_run_at is null)`,
  ],
  sql` or `,
)})`;

/** Increments the version. Returns null if the policy is unchanged. */
export const writePolicy = (tx: Tx, tenantId: Key, change: PolicyChange): Promise<PolicyRow | null> =>
  findFirst(
    tx
      .insertInto('key_rotation_policy')
      .values({ ...change, tenant_id: tenantId, version: 1 })
      .onConflict(conflict =>
        conflict
          .column('tenant_id')
          .doUpdateSet(eb => ({ ...change, version: eb('key_rotation_policy.version', '+', 1) }))
          .where(isOtherPolicy),
      )
      .returningAll(),
  );

export async function getPolicy(db: Db, tenantId: Key): Promise<PolicyRow> {
  const policy = await findPolicy(db, tenantId);
  if (policy === null) throw new ApiError('RESULT_DATA_NONE', 'there is no key rotation policy: put one first');
  return policy;
}

export const updatePolicy = (tx: Tx, id: Key, change: Pick<PolicyRow, 'acknowledged_run_id' | 'acknowledged_at'>) =>
  tx.updateTable('key_rotation_policy').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Unless the policy was changed since it was read. */
export async function moveSchedule(db: Db, { id, version }: PolicyRow, nextRunAt: Time): Promise<void> {
  const query = db.updateTable('key_rotation_policy').set({ next_run_at: nextRunAt }).where('id', '=', id);
  await query.where('version', '=', version).execute();
}

export const listDuePolicies = (db: Db, now: Time, limit: number): Promise<PolicyRow[]> =>
  db
    .selectFrom('key_rotation_policy')
    .selectAll()
    .where('next_run_at', '<=', now)
    .orderBy('next_run_at')
    .limit(limit)
    .execute();

/** Of every tenant, with its name. */
export const listPolicies = (db: Db, provider: string) =>
  db
    .selectFrom('key_rotation_policy')
    .innerJoin('tenant', 'tenant.id', 'key_rotation_policy.tenant_id')
    .selectAll('key_rotation_policy')
    .select('tenant.name as tenant_name')
    .where('provider', '=', provider)
    .orderBy('key_rotation_policy.tenant_id')
    .execute();

const runsOf = (db: Db, tenantId: Key) =>
  db.selectFrom('key_rotation_run').selectAll().where('tenant_id', '=', tenantId);

export const findRunByRequest = (db: Db, tenantId: Key, requestId: string): Promise<RunRow | null> =>
  findFirst(runsOf(db, tenantId).where('request_id', '=', requestId));

/** The newest run in mode APPLY. */
export async function findLatestApply(db: Db, tenantId: Key): Promise<RunRow | null> {
  const query = runsOf(db, tenantId).where('mode', '=', 'APPLY').orderBy('id', 'desc').limit(1);
  return (await query.executeTakeFirst()) ?? null;
}

/** Of all tenants if none is given. */
export async function findLatestRun(db: Db, tenantId?: Key): Promise<RunRow | null> {
  const all = db.selectFrom('key_rotation_run').selectAll().orderBy('id', 'desc').limit(1);
  const query = all.$if(tenantId !== undefined, runs => runs.where('tenant_id', '=', tenantId as Key));
  return (await query.executeTakeFirst()) ?? null;
}
