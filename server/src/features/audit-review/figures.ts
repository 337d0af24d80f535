// Aggregate figures of the audit log: counted rows and newer ones in one statement, so that no row is missing or
// counted twice.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { dayMs, hourMs, minuteMs } from './count-rows.ts';

type Span = { readonly from: Time; readonly to: Time };

/**
 * With an upper bound, though no row is past the last: PostgreSQL assumes that an unknown span is small, and uses the
 * index.
 */
const uncounted = (tenantId: Key): RawBuilder<unknown> => sql`
  from audit_log where tenant_id = ${tenantId}
  and position > coalesce((select position from audit_counted where tenant_id = ${tenantId}), 0)
  and position <= (select length from audit_head where tenant_id = ${tenantId})`;

const days = (tenantId: Key): RawBuilder<unknown> => sql`(
  select day, module, operation_type, operations, errors from audit_day where tenant_id = ${tenantId}
  union all
  select operation_time / ${sql.lit(dayMs)}, module, operation_type, sum(1 + repeated), sum(status * (1 + repeated))
  ${uncounted(tenantId)} group by 1, 2, 3) as day`;

const minutes = (tenantId: Key): RawBuilder<unknown> => sql`(
  select minute, user_id, username, request_ip, operations from audit_minute where tenant_id = ${tenantId}
  union all
  select operation_time / ${sql.lit(minuteMs)}, user_id, max(coalesce(username, '')), request_ip, sum(1 + repeated)
  ${uncounted(tenantId)} and user_id is not null group by 1, 2, 4) as minute`;

/** One of the databases returns sums as decimals. */
const sum = (column: 'operations' | 'errors') => sql<number>`cast(coalesce(sum(${sql.ref(column)}), 0) as bigint)`;

export type Kind = { readonly module: string; readonly operationType: string };
export type KindFigures = Kind & { readonly operations: number; readonly errors: number };

/** Of all time, by operation. */
export async function sumKinds(db: Db, tenantId: Key): Promise<KindFigures[]> {
  const { rows } = await sql<KindFigures>`
    select module, operation_type as "operationType", ${sum('operations')} as operations, ${sum('errors')} as errors
    from ${days(tenantId)} group by 1, 2`.execute(db);
  return rows;
}

export type DayFigures = KindFigures & { readonly day: number };

export async function sumDays(db: Db, tenantId: Key, firstDay: number): Promise<DayFigures[]> {
  const { rows } = await sql<DayFigures>`
    select day, module, operation_type as "operationType", ${sum('operations')} as operations, ${sum('errors')} as errors
    from ${days(tenantId)} where day >= ${firstDay} group by 1, 2, 3`.execute(db);
  return rows;
}

export async function countActiveUsers(db: Db, tenantId: Key, since: Time): Promise<number> {
  const { rows } = await sql<{ users: number }>`
    select count(distinct user_id) as users from ${minutes(tenantId)} where minute >= ${Math.floor(since / minuteMs)}`.execute(
    db,
  );
  return rows[0]?.users ?? 0;
}

export type Pace = {
  readonly userId: Key;
  readonly username: string;
  readonly requestIp: string;
  readonly minute: number;
  readonly operations: number;
};

/** Minutes of users with at least this many operations in the whole span; others cannot reach it within a part. */
/** Only the users with the most operations. */
const mostPeople = 100;

export async function listBusyMinutes(db: Db, tenantId: Key, { from, to }: Span, least: number): Promise<Pace[]> {
  const span = sql`minute >= ${Math.floor(from / minuteMs)} and minute <= ${Math.floor(to / minuteMs)}`;
  const { rows } = await sql<Pace>`
    with paced as (
      select user_id, request_ip, minute, max(username) as username, ${sum('operations')} as operations
      from ${minutes(tenantId)} where ${span} group by 1, 2, 3
    ), busy as (
      select user_id, request_ip from paced group by 1, 2 having sum(operations) >= ${least}
      order by sum(operations) desc, user_id, request_ip limit ${mostPeople}
    )
    select user_id as "userId", username, request_ip as "requestIp", minute, operations
    from paced join busy using (user_id, request_ip) order by user_id, request_ip, minute`.execute(db);
  return rows;
}

export type HourFigures = { readonly hour: number; readonly operations: number };

/** Hours since 1970. For one user they are read from the log. */
export async function sumHours(db: Db, tenantId: Key, { from, to }: Span, userId: Key | null): Promise<HourFigures[]> {
  const [first, last] = [Math.floor(from / hourMs), Math.floor(to / hourMs)];
  const ofAll = sql`
    select hour, ${sum('operations')} as operations from (
      select hour, operations from audit_hour where tenant_id = ${tenantId}
      union all
      select operation_time / ${sql.lit(hourMs)}, sum(1 + repeated) ${uncounted(tenantId)} group by 1
    ) as hour where hour >= ${first} and hour <= ${last} group by 1`;
  const ofOne = sql`
    select operation_time / ${sql.lit(hourMs)} as hour, cast(sum(1 + repeated) as bigint) as operations from audit_log
    where tenant_id = ${tenantId} and user_id = ${userId}
      and operation_time >= ${first * hourMs} and operation_time < ${(last + 1) * hourMs} group by 1`;
  const { rows } = await sql<HourFigures>`${userId === null ? ofAll : ofOne}`.execute(db);
  return rows;
}
