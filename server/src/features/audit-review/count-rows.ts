// Aggregate counts of the audit log: each row is counted once, in chain order, by the first server that gets to it.
// Rows not yet counted are read from the log itself (figures.ts).
import { sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import { updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
const keptMinutes = 2 * 24 * 60;
const rowsAtOnce = 20_000;

/** Up to this many uncounted rows it is cheaper to read them with every query. */
const fewRows = 2000;

type Dependencies = Pick<Server, 'database'>;

/** Counts all rows if there are many. */
export async function countIfMany(server: Dependencies, tenantId: Key): Promise<void> {
  if ((await findUncounted(server.database.db, tenantId)) > fewRows) await countAll(server, tenantId);
}

export async function countAll({ database }: Dependencies, tenantId: Key, signal?: AbortSignal): Promise<void> {
  const { db, kind } = database;
  while (!signal?.aborted && (await findUncounted(db, tenantId)) > 0)
    await db.transaction().execute(tx => countSome(tx, kind, tenantId));
}

async function findUncounted(db: Db, tenantId: Key): Promise<number> {
  const counted = db.selectFrom('audit_counted').select('position').where('tenant_id', '=', tenantId);
  return (await findCountable(db, tenantId)) - ((await counted.executeTakeFirst())?.position ?? 0);
}

/** The last position with final rows: none is counted past a refusal that may still be repeated. */
async function findCountable(db: Db, tenantId: Key): Promise<number> {
  const { rows } = await sql<{ countable: number }>`
    select coalesce((select min(position) - 1 from audit_refusal where tenant_id = ${tenantId}), length) as countable
    from audit_head where tenant_id = ${tenantId}`.execute(db);
  return rows[0]?.countable ?? 0;
}

/** Locks the row with the counted position: concurrent servers count in turn, each from where the last one ended. */
async function countSome(tx: Tx, engine: Engine, tenantId: Key): Promise<void> {
  await tx
    .insertInto('audit_counted')
    .values({ tenant_id: tenantId, position: 0 })
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const query = tx.selectFrom('audit_counted').select('position').where('tenant_id', '=', tenantId);
  const { position: from } = await query.$if(engine === 'postgres', q => q.forUpdate()).executeTakeFirstOrThrow();
  const to = Math.min(await findCountable(tx, tenantId), from + rowsAtOnce);
  if (to <= from) return;
  await addUp(tx, tenantId, from, to);
  await updateWhere(tx, 'audit_counted', { tenant_id: tenantId }, { position: to });
}

async function addUp(tx: Tx, tenantId: Key, from: number, to: number): Promise<void> {
  const rows = sql`from audit_log where tenant_id = ${tenantId} and position > ${from} and position <= ${to}`;
  await sql`
    insert into audit_day (tenant_id, day, module, operation_type, operations, errors)
    select tenant_id, operation_time / ${sql.lit(dayMs)} as day, module, operation_type, sum(1 + repeated), sum(status * (1 + repeated)) ${rows}
    group by 1, 2, 3, 4
    on conflict (tenant_id, day, module, operation_type) do update set
      operations = audit_day.operations + excluded.operations, errors = audit_day.errors + excluded.errors`.execute(tx);
  await sql`
    insert into audit_hour (tenant_id, hour, operations)
    select tenant_id, operation_time / ${sql.lit(hourMs)} as hour, sum(1 + repeated) ${rows} group by 1, 2
    on conflict (tenant_id, hour) do update set operations = audit_hour.operations + excluded.operations`.execute(tx);
  await sql`
    insert into audit_minute (tenant_id, minute, user_id, username, request_ip, operations)
    select tenant_id, operation_time / ${sql.lit(minuteMs)} as minute, user_id, max(coalesce(username, '')), request_ip, sum(1 + repeated)
    ${rows} and user_id is not null group by 1, 2, 3, 5
    on conflict (tenant_id, minute, user_id, request_ip) do update set
      operations = audit_minute.operations + excluded.operations`.execute(tx);
}

export const forgetMinutes = (db: Db, tenantId: Key, now: Time) =>
  db
    .deleteFrom('audit_minute')
    .where('tenant_id', '=', tenantId)
    .where('minute', '<', Math.floor(now / minuteMs) - keptMinutes)
    .execute();
