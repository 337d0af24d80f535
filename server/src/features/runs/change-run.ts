// Starting, pausing, resuming, cancelling, retrying and ending of runs: one transition at a time per tenant, each with
// an audit row. Workers finish the items they have started.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, type NewJob } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { appendAudit } from '../audit/index.ts';
import type { RunChange, RunEnd, RunKey, RunKind, RunRow } from './run-kind.ts';
import { assertAllFinished, insertRun, lockRun, noSuchRun, updateRun } from './run-queries.ts';

export type ChangesRuns = Pick<Server, 'database' | 'clock'>;

const maxFailureCharacters = 500;

export const runJobKind = ({ name }: { readonly name: string }): string => `${name}.run`;

/** The job that works on a run; at most one is pending. */
export const toRunJob = (kind: { readonly name: string }, { id, tenant_id }: RunRow): NewJob => ({
  kind: runJobKind(kind),
  payload: { runId: id, tenantId: tenant_id },
  uniqueKey: String(id),
});

/** Serializes transactions that change the runs of a tenant. */
export const withRunLock = <Result>(
  { database }: ChangesRuns,
  { name }: { readonly name: string },
  tenantId: Key,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> =>
  database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, `${name} ${tenantId}`);
    return change(tx);
  });

type CommonColumn = 'id' | 'tenant_id' | 'status' | 'created_at' | 'started_at' | 'completed_at';

type RunStart<Row extends RunRow> = {
  /** The run started by an earlier, equal request. */
  readonly findEarlier?: (tx: Tx) => Promise<Row | null>;
  readonly plan: (tx: Tx, now: Time) => Promise<Omit<Row, CommonColumn>>;
  /** For the audit log. */
  readonly toParam: (run: Row) => Readonly<Record<string, unknown>>;
};

export const startRun = <Row extends RunRow>(
  server: ChangesRuns,
  kind: RunKind<Row>,
  call: Call<Party>,
  { findEarlier, plan, toParam }: RunStart<Row>,
): Promise<Row> => {
  const { tenantId } = call.actor;
  return withRunLock(server, kind, tenantId, async tx => {
    const earlier = (await findEarlier?.(tx)) ?? null;
    if (earlier !== null) return earlier;
    await assertAllFinished(tx, kind, tenantId);
    const now = server.clock.now();
    const common = { tenant_id: tenantId, status: 'PLANNED', created_at: now, started_at: null, completed_at: null };
    const run = await insertRun<Row>(tx, kind, { ...(await plan(tx, now)), ...common } as Omit<Row, 'id'>);
    const description = `${kind.title} ${run.id} planned`;
    const param = { runId: run.id, ...toParam(run) };
    await appendAudit(tx, call, { module: kind.name, operation: 'start-run', description, param }, now);
    await enqueue(tx, toRunJob(kind, run), now);
    return run;
  });
};

const participles: Readonly<Record<RunChange, string>> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  retry: 'retried',
};

export const changeRun = <Row extends RunRow>(
  server: ChangesRuns,
  kind: RunKind<Row>,
  call: Call,
  { runId, change }: { readonly runId: Key; readonly change: RunChange },
): Promise<Row> => {
  const { tenantId } = call.actor;
  const { name, title, unfinished, changes } = kind;
  return withRunLock(server, kind, tenantId, async tx => {
    const which = { tenantId, runId };
    const run = await lockRun(tx, server.database.kind, kind, which);
    if (run === null) throw noSuchRun();
    const transition = changes[change];
    if (!transition?.from.includes(run.status))
      throw new ApiError('RUN_STATE_CONFLICT', `run ${runId} is ${run.status} and cannot be ${participles[change]}`);
    const now = server.clock.now();
    if (run.completed_at !== null) await assertAllFinished(tx, kind, tenantId);
    await transition.prepare?.(tx, run, now);
    const { to } = transition;
    const isUnfinished = unfinished.includes(to);
    const changed = await updateRun(tx, kind, run, {
      status: to,
      completed_at: isUnfinished ? null : now,
    } as Partial<Row>);
    const entry = { module: name, operation: `${change}-run`, description: `${title} ${runId}: ${change}` };
    await appendAudit(tx, call, { ...entry, param: { runId, before: run.status, after: to } }, now);
    if (isUnfinished && to !== 'PAUSED') await enqueue(tx, toRunJob(kind, changed), now);
    return changed;
  });
};

/** For a locked run. */
export async function endRun<Row extends RunRow>(
  tx: Tx,
  kind: RunKind<Row>,
  run: Row,
  { change, param }: RunEnd<Row>,
  now: Time,
): Promise<void> {
  await updateRun(tx, kind, run, { ...change, completed_at: now });
  const description = `${kind.title} ${run.id} ended: ${change.status}`;
  const entry = { module: kind.name, operation: 'end-run', description, param: { runId: run.id, ...param } };
  await appendAudit(tx, localCall(kind.name, run.tenant_id, now), entry, now);
}

/** Ends a run that cannot continue. */
export const failRun = <Row extends RunRow>(
  { database, clock }: ChangesRuns,
  kind: RunKind<Row>,
  which: RunKey,
  error: unknown,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const run = await lockRun(tx, database.kind, kind, which);
    if (run === null || run.completed_at !== null) return;
    const now = clock.now();
    const failure = toErrorText(error).slice(0, maxFailureCharacters);
    await endRun(tx, kind, run, await kind.fail(tx, run, failure, now), now);
  });
