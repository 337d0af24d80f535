// Keeps figures of the audit log, so that nobody has to read all of it: each row is counted once, in the order of its
// chain, by whoever comes first. What is not counted yet is read from the log itself (figures.ts).
import { sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';

export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
const keptMinutes = 2 * 24 * 60;
const rowsAtOnce = 20_000;

/** Rows that are read with every question cost less than counting them first. */
const fewRows = 2000;

type Needed = Pick<Server, 'database'>;

/** Counts all there is when that is much. */
export async function countIfMany(server: Needed, tenantId: Key): Promise<void> {
  if ((await findUncounted(server.database.db, tenantId)) > fewRows) await countAll(server, tenantId);
}

export async function countAll({ database }: Needed, tenantId: Key, signal?: AbortSignal): Promise<void> {
  const { db, kind } = database;
  while (!signal?.aborted && (await findUncounted(db, tenantId)) > 0)
    await db.transaction().execute(tx => countSome(tx, kind, tenantId));
}

async function findUncounted(db: Db, tenantId: Key): Promise<number> {
  const counted = db.selectFrom('audit_counted').select('position').where('tenant_id', '=', tenantId);
  return (await findCountable(db, tenantId)) - ((await counted.executeTakeFirst())?.position ?? 0);
}

/** Up to where rows stand for what they always will: behind a refusal that may still be repeated none is counted. */
async function findCountable(db: Db, tenantId: Key): Promise<number> {
  const { rows } = await sql<{ countable: number }>`
    select coalesce((select min(position) - 1 from audit_refusal where tenant_id = ${tenantId}), length) as countable
    from audit_head where tenant_id = ${tenantId}`.execute(db);
  return rows[0]?.countable ?? 0;
}

/** Holds the row that says how far the count is: of rivals one counts, the others go on behind it. */
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
  await tx.updateTable('audit_counted').set({ position: to }).where('tenant_id', '=', tenantId).execute();
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
