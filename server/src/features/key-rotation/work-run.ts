// Work on a key rotation: discovers its items, rewraps them batch by batch, ends the run. Every step is one
// transaction, which ends one batch and claims another, and starts from the stored rows: it can be interrupted at any
// point and continued on any server. The key provider is called between transactions, for up to two batches at once.
import { randomUUID } from 'node:crypto';
import { toKeyFailure } from '../../platform/crypto/envelope.ts';
import { Lease } from '../../platform/db/lease.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import {
  claimItems,
  discoverItems,
  endRun,
  findNextDue,
  findRun,
  isDiscovered,
  lockActiveRun,
  lockRun,
  type RunKey,
  toRunKey,
  updateRun,
} from '../runs/index.ts';
import { countItems, insertItems } from './item-queries.ts';
import { nextBatchAt, toBatchSize } from './policy.ts';
import type { RunRow } from './queries.ts';
import { type Claimed, type Ended, endBatch, findTarget, type RewrappedBatch, rewrapBatch } from './rewrap-batch.ts';
import { rotations } from './rotations.ts';

type Working = Pick<
  Server,
  'database' | 'clock' | 'log' | 'config' | 'keyProviders' | 'cryptoPolicies' | 'keyRotationMetrics'
>;

const discoveredAtOnce = 1000;
/** While the provider works on one, the database prepares the next one. */
const batchesAtOnce = 2;

/** The outcome of a step: a batch to rewrap, another step immediately, a wait until a time, or the end of the run. */
type Step =
  | { readonly kind: 'claimed'; readonly claimed: Claimed }
  | { readonly kind: 'more' }
  | { readonly kind: 'wait'; readonly until: Time }
  | { readonly kind: 'over' };

const over: Step = { kind: 'over' };
const more: Step = { kind: 'more' };

/**
 * Until the run is over (returns null) or has to wait (returns until when). An abort signal ends it after the current
 * batches.
 */
export async function workOnRun(server: Working, which: RunKey, signal: AbortSignal): Promise<Time | null> {
  const run = await findRun(server.database.db, rotations, which);
  if (run === null) return null;
  if (isToBegin(run)) await begin(server, run);
  if (!isDiscovered(rotations, run))
    await discoverItems(server, rotations, which, {
      discover: (tx, run, now) => insertItems(tx, { run, limit: discoveredAtOnce, now }),
      signal,
    });
  return rewrapItems(server, which, signal);
}

/** Also a run that was paused before it began, and is RUNNING once it is resumed. */
const isToBegin = ({ status, started_at }: RunRow): boolean =>
  started_at === null && (status === 'PLANNED' || status === 'RUNNING');

/** Starts a planned run, or ends it if its target cannot be reached. */
async function begin(server: Working, planned: RunRow): Promise<void> {
  const { database, clock } = server;
  const mismatch = await findMismatch(server, planned);
  await database.db.transaction().execute(async tx => {
    const run = await lockRun(tx, database.kind, rotations, toRunKey(planned));
    if (run === null || !isToBegin(run)) return;
    const now = clock.now();
    if (mismatch === null) return void (await updateRun(tx, rotations, run, { status: 'RUNNING', started_at: now }));
    await end(tx, { ...run, started_at: now }, { status: 'FAILED', failure_category: mismatch }, now);
  });
}

async function rewrapItems(server: Working, which: RunKey, signal: AbortSignal): Promise<Time | null> {
  const underWay: RunningBatch[] = [];
  let step = more;
  try {
    for (;;) {
      const goesOn = !signal.aborted && (step.kind === 'more' || step.kind === 'claimed');
      const first = goesOn && underWay.length < batchesAtOnce ? undefined : underWay.shift();
      using _lease = first?.lease;
      const rewrapped = await first?.rewrapping;
      if (rewrapped === undefined) signal.throwIfAborted();
      step = await takeStep(server, which, { rewrapped, mayClaim: !signal.aborted });
      if (step.kind === 'claimed') underWay.push(startBatch(server, step.claimed, signal));
      if (underWay.length > 0) continue;
      if (step.kind === 'over') return null;
      if (step.kind === 'wait') return step.until;
    }
  } finally {
    await Promise.allSettled(underWay.map(({ rewrapping }) => rewrapping));
    for (const { lease } of underWay) lease[Symbol.dispose]();
  }
}

/** A batch in progress at the provider; its lease is renewed until its end is written. */
type RunningBatch = { readonly rewrapping: Promise<RewrappedBatch>; readonly lease: Lease };

function startBatch(server: Working, claimed: Claimed, signal: AbortSignal): RunningBatch {
  const { database, clock } = server;
  const { run, items, token } = claimed;
  const claim = { token, ids: items.map(({ id }) => id) };
  const leasing = { db: database.db, engine: database.kind, clock, leaseMs: run.lease_seconds * 1000, signal };
  return { rewrapping: rewrapBatch(server, claimed), lease: new Lease(leasing, { table: 'key_rotation_item', claim }) };
}

type Stepping = { readonly rewrapped: RewrappedBatch | undefined; readonly mayClaim: boolean };

async function takeStep(server: Working, which: RunKey, { rewrapped, mayClaim }: Stepping): Promise<Step> {
  const { database, clock, keyRotationMetrics } = server;
  const { ended, step } = await database.db.transaction().execute(async tx => {
    const ended: readonly Ended[] = rewrapped ? await endBatch(tx, database.kind, rewrapped, clock.now()) : [];
    const run = mayClaim ? await lockActiveRun(tx, database.kind, rotations, which) : null;
    return { ended, step: run === null ? over : await claimBatch(database.kind, tx, run, clock.now()) };
  });
  for (const { ending, count } of ended) keyRotationMetrics.itemsEnded(ending, count);
  return step;
}

/** A run cannot reach a target that no longer wraps. An outage of the provider is no mismatch: its items fail. */
async function findMismatch(server: Working, run: RunRow): Promise<string | null> {
  if (run.mode === 'DRY_RUN') return null;
  const { wrappingProvider, wrappingProviderContract } = await server.cryptoPolicies.inForce(run.tenant_id);
  const target = findTarget(server.keyProviders, run);
  if (target?.id !== wrappingProvider || target.contract !== wrappingProviderContract) return 'CONFIGURATION';
  try {
    return (await target.activeKeyVersion()) === run.provider_key_version ? null : 'CONFIGURATION';
  } catch (error) {
    const failure = toKeyFailure(error);
    return failure.isWorthRetrying ? null : failure.category;
  }
}

async function claimBatch(engine: Engine, tx: Tx, run: RunRow, now: Time): Promise<Step> {
  if (!isDiscovered(rotations, run)) return over; // paused and resumed meanwhile: the job of the resumption goes on
  const nextDue = await findNextDue(tx, rotations.items, run.id);
  if (nextDue === null) {
    const { failed } = await countItems(tx, run.id);
    const status = failed > 0 ? 'COMPLETED_WITH_FAILURES' : 'COMPLETED';
    await end(tx, run, { status, failure_category: null }, now);
    return over;
  }
  const until = Math.max(nextDue, run.next_batch_at);
  if (until > now) return { kind: 'wait', until };
  const token = randomUUID();
  const lease = { token, now, until: now + run.lease_seconds * 1000, limit: toBatchSize(run) };
  const items = await claimItems(tx, engine, { kind: rotations, run }, lease);
  await updateRun(tx, rotations, run, { next_batch_at: nextBatchAt(run, items.length, now) });
  return items.length === 0 ? more : { kind: 'claimed', claimed: { run, items, token } };
}

async function end(tx: Tx, run: RunRow, ending: Pick<RunRow, 'status' | 'failure_category'>, now: Time): Promise<void> {
  const change = { ...ending, started_at: run.started_at };
  await endRun(tx, rotations, run, { change, param: { mode: run.mode, ...(await countItems(tx, run.id)) } }, now);
}
