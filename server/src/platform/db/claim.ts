// Claims: rows that one server at a time may work on. A claim is a lease (`due_at`: when the row may be claimed again)
// and a fence, a number that grows when a claim begins and when it ends. Every write or renewal for a claim names its
// fence, and has no effect once the claim has ended or another server has taken over. Rows that end as a set are
// claimed under one token (`claim`, null without a claim) instead of a fence each.
import { type Expression, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { isOneOf } from './key-set.ts';
import type { Engine } from './open-db.ts';
import type { Changes } from './rows.ts';
import type { Db, Key, Tables, Time, Tx } from './tables.ts';

type TableWith<Columns> = { [Table in keyof Tables]: Tables[Table] extends Columns ? Table : never }[keyof Tables];
/** Tables whose rows are claimed one by one, and tables whose rows are claimed as a set. */
export type FencedTable = TableWith<{ fence: number; due_at: Time | null }>;
type SetTable = TableWith<{ claim: string | null; due_at: Time }>;
export type ClaimTable = FencedTable | SetTable;

/** One claim of one row. */
export type Claim = { readonly id: Key; readonly fence: number };
/** One claim of several rows. */
type SetClaim = { readonly token: string; readonly ids: readonly Key[] };
/** A claim and its table. */
export type Held =
  | { readonly table: FencedTable; readonly claim: Claim }
  | { readonly table: SetTable; readonly claim: SetClaim };

/** Another server has taken over; nothing more may be written. */
export class LeaseLost extends Error {}

/** A number where PostgreSQL cannot infer the type of a parameter. */
export const integer = (value: number) => sql<number>`cast(${value} as bigint)`;

export type Claiming<Table extends ClaimTable> = {
  /** Query of the rows that are due. */
  readonly due: SelectQueryBuilder<Tables, Table, { id: Key }>;
  /** Wait for rows that another transaction holds; by default they are skipped (on PostgreSQL). */
  readonly waits?: boolean;
  /** The end of the lease. */
  readonly until: Time | Expression<Time>;
  /** For a set: its token. */
  readonly token?: string;
  /** Other columns to change. */
  readonly set?: Changes<Table>;
};

/** Claims the rows for this caller only and returns their new state. */
export async function claim<Table extends ClaimTable>(
  db: Db,
  engine: Engine,
  table: Table,
  { due, waits = false, until, token, set = {} }: Claiming<Table>,
): Promise<Selectable<Tables[Table]>[]> {
  const fence = token === undefined ? sql`fence = fence + 1` : sql`claim = ${token}`;
  const changes = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const { rows } = await sql<Selectable<Tables[Table]>>`
    update ${sql.table(table)} set ${sql.join([sql`due_at = ${until}`, fence, ...changes])}
    where ${claimedFrom(engine, due, waits)} returning *`.execute(db);
  return rows;
}

/** For `where`: a form in which PostgreSQL runs the query once with any plan. */
function claimedFrom<Table extends keyof Tables>(
  engine: Engine,
  query: SelectQueryBuilder<Tables, Table, { id: Key }>,
  waits: boolean,
): Expression<SqlBool> {
  if (engine === 'sqlite') return sql<SqlBool>`id in (${query})`;
  const locking = waits ? query.forUpdate() : query.forUpdate().skipLocked();
  return sql<SqlBool>`id = any(array(${locking}))`;
}

/** For `where`: rows that are still held under these claims. */
export const heldBy = (claims: readonly Claim[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    claims.map(({ id, fence }) => sql`(id = ${id} and fence = ${fence})`),
    sql` or `,
  )})`;

/** For `set`, whenever a claim of a row ends: afterwards its fence no longer matches. */
export const claimEnds = { fence: sql<number>`fence + 1` } as const;

/** Ends the claim of a row with these changes. False if the claim was lost. */
export async function endClaim<Table extends FencedTable>(
  db: Db,
  table: Table,
  held: Claim,
  changes: Changes<Table>,
): Promise<boolean> {
  const set = Object.entries({ ...changes, ...claimEnds }).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.join(set)} where ${heldBy([held])}`.execute(db);
  return numAffectedRows === 1n;
}

/** Extends the lease of rows still held; false if there are none. */
export async function renewClaim(db: Db, engine: Engine, { table, claim }: Held, until: Time): Promise<boolean> {
  const held =
    'token' in claim
      ? sql<SqlBool>`claim = ${claim.token} and ${isOneOf(engine, 'id', claim.ids)}`
      : sql<SqlBool>`${heldBy([claim])} and due_at is not null`;
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set due_at = ${until} where ${held}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** The state in which the rows of a table are claimed. */
export type ClaimedState = {
  readonly table: ClaimTable;
  readonly column: 'state' | 'status';
  readonly values: readonly string[];
};

/** Only where no other server can run: every holder is dead, and its rows may be claimed at once. */
export async function freeClaims(db: Db, states: readonly ClaimedState[], now: Time): Promise<void> {
  for (const { table, column, values } of states)
    await sql`
      update ${sql.table(table)} set due_at = ${now}
      where due_at > ${now} and (${sql.join(
        values.map(value => sql`${sql.ref(column)} = ${sql.lit(value)}`),
        sql` or `,
      )})`.execute(db);
}

/** First statement of a transaction that only the holder may commit: no other server takes over before its end. */
export async function assertClaim(tx: Tx, engine: Engine, table: FencedTable, held: Claim): Promise<void> {
  const lock = engine === 'postgres' ? sql`for update` : sql``;
  const { rows } = await sql`select id from ${sql.table(table)} where ${heldBy([held])} ${lock}`.execute(tx);
  if (rows.length === 0) throw new LeaseLost(`the ${table} ${held.id} was taken over`);
}
