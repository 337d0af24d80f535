// A kind of runs: its tables, its statuses, and what is its own about the end of a run. A run finds items in a list of rows
// (files, envelopes), works on each of them, and is over when none is left. All the rest is the same for every kind.
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

/** The columns that the runs of every kind have. */
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
  /** What changes besides the run; throws where the change is not possible. */
  readonly prepare?: (tx: Tx, run: Row, now: Time) => Promise<void>;
};

/** How a run ends: the columns that say so, and the facts for the audit log. */
export type Ending<Row extends RunRow> = {
  readonly change: Partial<Row> & { readonly status: Row['status'] };
  readonly param: Readonly<Record<string, unknown>>;
};

export type RunKind<Row extends RunRow> = {
  /** Of its lock, its jobs and its schedule, and the module in the audit log. */
  readonly name: string;
  /** In the audit log, before the number of the run. */
  readonly title: string;
  readonly table: keyof Tables;
  /** The row up to which items were found, and the last row in which they are looked for. */
  readonly seenColumn: keyof Row & string;
  readonly lastColumn: keyof Row & string;
  /** The statuses of a run that is not over, as the index over them lists them: PLANNED at first. */
  readonly unfinished: readonly Row['status'][];
  /** Those of a run that is being worked on. */
  readonly atWork: readonly Row['status'][];
  readonly changes: { readonly [Change in RunChange]?: Transition<Row> };
  /** Takes the claims of its items from every server, so that nothing of the run changes any more. */
  readonly fail: (tx: Tx, run: Row, failure: string, now: Time) => Promise<Ending<Row>>;
};

export const defineRun = <Row extends RunRow>(kind: RunKind<Row>): RunKind<Row> => kind;

export type WhichRun = { readonly tenantId: Key; readonly runId: Key };

export const whichOf = ({ tenant_id, id }: Pick<RunRow, 'tenant_id' | 'id'>): WhichRun => ({
  tenantId: tenant_id,
  runId: id,
});

export const isAtWork = <Row extends RunRow>({ atWork }: RunKind<Row>, run: Row): boolean =>
  atWork.includes(run.status);

/** False while items are still being found: the counts grow. */
export const isDiscovered = <Row extends RunRow>({ seenColumn, lastColumn }: RunKind<Row>, run: Row): boolean =>
  Number(run[seenColumn]) >= Number(run[lastColumn]);

/** The highest id of the rows of a tenant; 0 where there are none. */
export async function findLastId(db: Db, table: 'envelope' | 'file', tenantId: Key): Promise<Key> {
  const query = db.selectFrom(table).select('id').where('tenant_id', '=', tenantId);
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0;
}
