// Claims: rows that one server at a time may work on. A claim is a lease (`due_at`: when the row may be claimed again)
// and a fence, which grows when a claim begins and when it ends, and so names it: whatever is written or renewed for a
// claim names its fence, and changes nothing once the claim has ended or another server has taken over. Rows that end as
// a set are claimed under one token (`claim`, null without a claim) in place of a fence each.
import { type Expression, type Selectable, type SelectQueryBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import { isOneOf } from './key-set.ts';
import type { Engine } from './open-db.ts';
import type { Db, Key, Tables, Time, Tx } from './tables.ts';

type TableWith<Columns> = { [Table in keyof Tables]: Tables[Table] extends Columns ? Table : never }[keyof Tables];
/** Tables whose rows are claimed one by one, and those whose rows are claimed as a set. */
export type FencedTable = TableWith<{ fence: number; due_at: Time | null }>;
type SetTable = TableWith<{ claim: string | null; due_at: Time }>;
type ClaimTable = FencedTable | SetTable;

/** One claim of one row. */
export type Claim = { readonly id: Key; readonly fence: number };
/** One claim of several rows. */
type SetClaim = { readonly token: string; readonly ids: readonly Key[] };
/** A claim and where it was made. */
export type Held =
  | { readonly table: FencedTable; readonly claim: Claim }
  | { readonly table: SetTable; readonly claim: SetClaim };

/** Somebody else has taken over; nothing more may be written. */
export class LeaseLost extends Error {}

/** A number in a place where PostgreSQL cannot guess the type of a parameter. */
export const integer = (value: number) => sql<number>`cast(${value} as bigint)`;

type Changes<Table extends ClaimTable> = {
  [Column in keyof Updateable<Tables[Table]>]?: Updateable<Tables[Table]>[Column] | Expression<unknown>;
};

export type Claiming<Table extends ClaimTable> = {
  /** Which rows: those that are due. */
  readonly due: SelectQueryBuilder<Tables, Table, { id: Key }>;
  /** For rows that another transaction holds, which are passed over when left out (on PostgreSQL). */
  readonly waits?: boolean;
  /** The end of the lease. */
  readonly until: Time | Expression<Time>;
  /** For a set. */
  readonly token?: string;
  /** What changes with the claim besides. */
  readonly set?: Changes<Table>;
};

/** Takes the rows, each for this claimer only, and answers them as they are now. */
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

/** For `where`: the query runs once, whatever plan PostgreSQL chooses. */
function claimedFrom<Table extends keyof Tables>(
  engine: Engine,
  query: SelectQueryBuilder<Tables, Table, { id: Key }>,
  waits: boolean,
): Expression<SqlBool> {
  if (engine === 'sqlite') return sql<SqlBool>`id in (${query})`;
  const locking = waits ? query.forUpdate() : query.forUpdate().skipLocked();
  return sql<SqlBool>`id = any(array(${locking}))`;
}

/** For `where`: the rows of these claims, as far as they still are. */
export const heldBy = (claims: readonly Claim[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    claims.map(({ id, fence }) => sql`(id = ${id} and fence = ${fence})`),
    sql` or `,
  )})`;

/** For `set`, beside whatever ends a claim of a row: nothing is renewed or written under it from then on. */
export const claimEnds = { fence: sql<number>`fence + 1` } as const;

/** Ends the claim of a row with these changes. False when the claim was lost. */
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

/** Prolongs the lease of what is still held; false when nothing is. */
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

/** Where no other server can be at work: whoever holds a claim is dead, and its rows may be claimed at once. */
export async function freeClaims(db: Db, states: readonly ClaimedState[], now: Time): Promise<void> {
  for (const { table, column, values } of states)
    await sql`
      update ${sql.table(table)} set due_at = ${now}
      where due_at > ${now} and (${sql.join(
        values.map(value => sql`${sql.ref(column)} = ${sql.lit(value)}`),
        sql` or `,
      )})`.execute(db);
}

/** The first statement of a transaction that only the holder may write: nobody takes over before that has ended. */
export async function assertClaim(tx: Tx, engine: Engine, table: FencedTable, held: Claim): Promise<void> {
  const lock = engine === 'postgres' ? sql`for update` : sql``;
  const { rows } = await sql`select id from ${sql.table(table)} where ${heldBy([held])} ${lock}`.execute(tx);
  if (rows.length === 0) throw new LeaseLost(`the ${table} ${held.id} was taken over`);
}
