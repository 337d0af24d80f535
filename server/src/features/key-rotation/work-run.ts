// Works on a run: finds its items, moves them batch by batch, ends it. Every step is one transaction, which ends one batch and
// claims another, and starts from what the rows say: it may stop anywhere and go on on any server. The key provider is asked
// between transactions, about a batch or two at once.
import { randomUUID } from 'node:crypto';
import { localCall } from '../../platform/call.ts';
import { toKeyFailure } from '../../platform/crypto/envelope.ts';
import { Lease } from '../../platform/db/lease.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { claimItems, countItems, discoverItems, findNextDue } from './item-queries.ts';
import { type Claimed, type Ended, endBatch, findTarget, type Moved, moveBatch } from './move-batch.ts';
import { nextBatchAt, toBatchSize } from './policy.ts';
import { holdRun, type RunRow, updateRun } from './queries.ts';

export type Working = Pick<
  Server,
  'database' | 'clock' | 'log' | 'config' | 'keyProviders' | 'cryptoPolicies' | 'keyRotationMetrics'
>;
type Which = { readonly tenantId: Key; readonly runId: Key };

const discoveredAtOnce = 1000;
/** While the provider works on one, the database gets the next one ready. */
const batchesAtOnce = 2;

/** What came of a step: a batch to move, more at once, nothing before a time, or nothing any more. */
type Step =
  | { readonly kind: 'claimed'; readonly claimed: Claimed }
  | { readonly kind: 'more' }
  | { readonly kind: 'wait'; readonly until: Time }
  | { readonly kind: 'over' };

const over: Step = { kind: 'over' };
const more: Step = { kind: 'more' };

/** Goes on until the run is over or has to wait; answers until when. Told to stop, it ends what it has begun. */
export async function workOnRun(server: Working, which: Which, signal: AbortSignal): Promise<Time | null> {
  const mismatch = await findMismatch(server, which);
  const underWay: Moving[] = [];
  let step = more;
  try {
    for (;;) {
      const goesOn = !signal.aborted && (step.kind === 'more' || step.kind === 'claimed');
      const first = goesOn && underWay.length < batchesAtOnce ? undefined : underWay.shift();
      using _lease = first?.lease;
      const moved = await first?.ended;
      if (moved === undefined) signal.throwIfAborted();
      step = await takeStep(server, which, { moved, mismatch, mayClaim: !signal.aborted });
      if (step.kind === 'claimed') underWay.push(move(server, step.claimed, signal));
      if (underWay.length > 0) continue;
      if (step.kind === 'over') return null;
      if (step.kind === 'wait') return step.until;
    }
  } finally {
    await Promise.allSettled(underWay.map(({ ended }) => ended));
    for (const { lease } of underWay) lease[Symbol.dispose]();
  }
}

/** A batch that the provider works on; its lease is kept until its end is written, however long the slowest item takes. */
type Moving = { readonly ended: Promise<Moved>; readonly lease: Lease };

function move(server: Working, claimed: Claimed, signal: AbortSignal): Moving {
  const { database, clock } = server;
  const { run, items, token } = claimed;
  const claim = { token, ids: items.map(({ id }) => id) };
  const leasing = { db: database.db, engine: database.kind, clock, leaseMs: run.lease_seconds * 1000, signal };
  return { ended: moveBatch(server, claimed), lease: new Lease(leasing, { table: 'key_rotation_item', claim }) };
}

type Stepping = { readonly moved: Moved | undefined; readonly mismatch: string | null; readonly mayClaim: boolean };

async function takeStep(server: Working, which: Which, { moved, mismatch, mayClaim }: Stepping): Promise<Step> {
  const { database, clock, keyRotationMetrics } = server;
  const { ended, step } = await database.db.transaction().execute(async tx => {
    const ended: readonly Ended[] = moved ? await endBatch(tx, database.kind, moved, clock.now()) : [];
    return { ended, step: mayClaim ? await goOn(server, tx, which, mismatch) : over };
  });
  for (const { ending, count } of ended) keyRotationMetrics.itemsEnded(ending, count);
  return step;
}

async function goOn({ database, clock }: Working, tx: Tx, which: Which, mismatch: string | null): Promise<Step> {
  const run = await holdRun(tx, database.kind, which.tenantId, which.runId);
  if (run === null || (run.status !== 'PLANNED' && run.status !== 'RUNNING')) return over;
  const now = clock.now();
  if (run.status === 'PLANNED') {
    if (mismatch !== null) {
      await endRun(tx, run, { status: 'FAILED', failure_category: mismatch }, now);
      return over;
    }
    await updateRun(tx, run.id, { status: 'RUNNING', started_at: now });
  }
  return run.seen_envelope_id < run.last_envelope_id ? discover(tx, run, now) : claimBatch(database, tx, run, now);
}

/** A run whose target no longer wraps cannot reach it. An outage is no such thing: it shows at the items. */
async function findMismatch(server: Working, { tenantId, runId }: Which) {
  const { database, cryptoPolicies } = server;
  const run = await database.db
    .selectFrom('key_rotation_run')
    .select(['mode', 'status', 'provider', 'provider_contract', 'provider_key_version'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', runId)
    .executeTakeFirst();
  if (run === undefined || run.mode === 'DRY_RUN' || run.status !== 'PLANNED') return null;
  const { wrappingProvider, wrappingProviderContract } = await cryptoPolicies.inForce(tenantId);
  const target = findTarget(server.keyProviders, run);
  if (target?.id !== wrappingProvider || target.contract !== wrappingProviderContract) return 'CONFIGURATION';
  try {
    return (await target.activeKeyVersion()) === run.provider_key_version ? null : 'CONFIGURATION';
  } catch (error) {
    const failure = toKeyFailure(error);
    return failure.isWorthRetrying ? null : failure.category;
  }
}

async function discover(tx: Tx, run: RunRow, now: Time): Promise<Step> {
  const last = await discoverItems(tx, { run, limit: discoveredAtOnce, now });
  await updateRun(tx, run.id, { seen_envelope_id: last ?? run.last_envelope_id });
  return more;
}

async function claimBatch({ kind }: Database, tx: Tx, run: RunRow, now: Time): Promise<Step> {
  const nextDue = await findNextDue(tx, run.id);
  if (nextDue === null) {
    const { failed } = await countItems(tx, run.id);
    await endRun(
      tx,
      run,
      { status: failed > 0 ? 'COMPLETED_WITH_FAILURES' : 'COMPLETED', failure_category: null },
      now,
    );
    return over;
  }
  const until = Math.max(nextDue, run.next_batch_at);
  if (until > now) return { kind: 'wait', until };
  const token = randomUUID();
  const items = await claimItems(tx, kind, run, { token, now, limit: toBatchSize(run) });
  await updateRun(tx, run.id, { next_batch_at: nextBatchAt(run, items.length, now) });
  return items.length === 0 ? more : { kind: 'claimed', claimed: { run, items, token } };
}

async function endRun(tx: Tx, run: RunRow, ending: Pick<RunRow, 'status' | 'failure_category'>, now: Time) {
  await updateRun(tx, run.id, { ...ending, started_at: run.started_at ?? now, completed_at: now });
  const counts = await countItems(tx, run.id);
  const entry = {
    module: 'key-rotation',
    operation: 'end-run',
    description: `key rotation ${run.id} ended: ${ending.status}`,
    param: { runId: run.id, mode: run.mode, ...counts },
  };
  await appendAudit(tx, localCall('key-rotation', run.tenant_id, now), entry, now);
}
