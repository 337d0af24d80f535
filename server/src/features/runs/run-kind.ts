// The definition of a kind of runs: its tables, its statuses, and how a run ends. A run finds items in a list of rows
// (files, envelopes), processes each, and ends when none is left. Everything else is shared.
import type { RawBuilder } from 'kysely';
import type { ClaimTable } from '../../platform/db/claim.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

/** The columns common to all kinds of runs. */
export type RunRow = {
  readonly id: Key;
  readonly tenant_id: Key;
  readonly mode: string;
  readonly status: string;
  readonly created_at: Time;
  readonly started_at: Time | null;
  readonly completed_at: Time | null;
};

export type RunChange = 'pause' | 'resume' | 'cancel' | 'retry';

type Transition<Row extends RunRow> = {
  readonly from: readonly Row['status'][];
  readonly to: Row['status'];
  /** Additional changes; throws if the change is not possible. */
  readonly prepare?: (tx: Tx, run: Row, now: Time) => Promise<void>;
};

/** The end of a run: the changed columns, and the parameters of the audit row. */
export type RunEnd<Row extends RunRow> = {
  readonly change: Partial<Row> & { readonly status: Row['status'] };
  readonly param: Readonly<Record<string, unknown>>;
};

/** Tables of items. */
export type ItemTable = {
  [Table in ClaimTable]: Tables[Table] extends { run_id: Key; attempts: number } ? Table : never;
}[ClaimTable];

/** The items of a kind: their table, and the condition of its partial index over open items. */
export type RunItems<Table extends ItemTable> = { readonly table: Table; readonly isOpen: RawBuilder<boolean> };

export type RunKind<Row extends RunRow, Items extends ItemTable = ItemTable> = {
  /** The name of its lock, jobs and schedule, and the module in the audit log. */
  readonly name: string;
  /** In the audit log, before the number of the run. */
  readonly title: string;
  readonly table: keyof Tables;
  readonly items: RunItems<Items>;
  /** The row up to which items were found, and the last row to search. */
  readonly seenColumn: keyof Row & string;
  readonly lastColumn: keyof Row & string;
  /** The unfinished statuses, as in the partial index; PLANNED is the first. */
  readonly unfinished: readonly Row['status'][];
  /** The statuses of an active run. */
  readonly activeStatuses: readonly Row['status'][];
  readonly changes: { readonly [Change in RunChange]?: Transition<Row> };
  /** Drops all claims of its items, so that nothing of the run changes any more. */
  readonly fail: (tx: Tx, run: Row, failure: string, now: Time) => Promise<RunEnd<Row>>;
};

export const defineRun = <Row extends RunRow, Items extends ItemTable>(
  kind: RunKind<Row, Items>,
): RunKind<Row, Items> => kind;

export type RunKey = { readonly tenantId: Key; readonly runId: Key };

export const toRunKey = ({ tenant_id, id }: Pick<RunRow, 'tenant_id' | 'id'>): RunKey => ({
  tenantId: tenant_id,
  runId: id,
});

export const isActive = <Row extends RunRow>({ activeStatuses }: RunKind<Row>, run: Row): boolean =>
  activeStatuses.includes(run.status);

/** Returns false while items are still being found and the counts grow. */
export const isDiscovered = <Row extends RunRow>({ seenColumn, lastColumn }: RunKind<Row>, run: Row): boolean =>
  Number(run[seenColumn]) >= Number(run[lastColumn]);

/** The highest row id of a tenant; 0 if there are none. */
export async function findLastId(db: Db, table: 'envelope' | 'file', tenantId: Key): Promise<Key> {
  const query = db.selectFrom(table).select('id').where('tenant_id', '=', tenantId);
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0;
}
