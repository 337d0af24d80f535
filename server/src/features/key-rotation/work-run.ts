// Works on a run: finds its items, moves them batch by batch, ends it. Every step is one transaction and starts from what the
// rows say, so that it may stop anywhere and go on on any server. The key provider is asked between transactions.
import { randomUUID } from 'node:crypto';
import { localCall } from '../../platform/call.ts';
import { type Envelope, KeyProviderError, type Outcome } from '../../platform/crypto/envelope.ts';
import { rewrapMany } from '../../platform/crypto/rewrap-many.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { holdEnvelopes, type OldEnvelope, readEnvelopes, replaceEnvelopes } from '../envelopes/index.ts';
import {
  claimItems,
  countItems,
  discoverItems,
  endItems,
  findNextDue,
  holdClaimed,
  type ItemRow,
} from './item-queries.ts';
import { backoffMs, nextBatchAt } from './policy.ts';
import { holdRun, type RunRow, updateRun } from './queries.ts';

export type Working = Pick<
  Server,
  'database' | 'clock' | 'log' | 'config' | 'keyProviders' | 'cryptoPolicies' | 'keyRotationMetrics'
>;
type Which = { readonly tenantId: Key; readonly runId: Key };

const discoveredAtOnce = 1000;

/** What came of a step: more at once, not before a time, or nothing any more. */
type Step = { readonly kind: 'more' } | { readonly kind: 'wait'; readonly until: Time } | { readonly kind: 'over' };

const over: Step = { kind: 'over' };
const more: Step = { kind: 'more' };

/** Goes on until the run is over or has to wait; answers until when. */
export async function workOnRun(server: Working, which: Which, signal: AbortSignal): Promise<Time | null> {
  for (;;) {
    signal.throwIfAborted();
    const step = await takeStep(server, which);
    if (step.kind === 'over') return null;
    if (step.kind === 'wait') return step.until;
  }
}

type Claimed = { readonly run: RunRow; readonly items: readonly ItemRow[]; readonly token: string };

async function takeStep(server: Working, which: Which): Promise<Step> {
  const mismatch = await findMismatch(server, which);
  const next = await server.database.db.transaction().execute(async tx => {
    const run = await holdRun(tx, server.database.kind, which.tenantId, which.runId);
    if (run === null || (run.status !== 'PLANNED' && run.status !== 'RUNNING')) return over;
    const now = server.clock.now();
    if (run.mode === 'APPLY' && mismatch !== null) {
      await endRun(tx, run, { status: 'FAILED', failure_category: mismatch }, now);
      return over;
    }
    if (run.status === 'PLANNED') await updateRun(tx, run.id, { status: 'RUNNING', started_at: now });
    if (run.seen_envelope_id < run.last_envelope_id) return discover(tx, run, now);
    return claimBatch(server, tx, run, now);
  });
  if (!('items' in next)) return next;
  await moveBatch(server, next);
  return more;
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
  const target = findTarget(server, run);
  if (target?.id !== wrappingProvider || target.contract !== wrappingProviderContract) return 'CONFIGURATION';
  try {
    return (await target.activeKeyVersion()) === run.provider_key_version ? null : 'CONFIGURATION';
  } catch (error) {
    return error instanceof KeyProviderError && error.isWorthRetrying ? null : toCategory(error);
  }
}

const findTarget = ({ keyProviders }: Working, run: Pick<RunRow, 'provider' | 'provider_contract'>) =>
  keyProviders.find(({ id, contract }) => id === run.provider && contract === run.provider_contract);

const toCategory = (error: unknown) => (error instanceof KeyProviderError ? error.category : 'INTERNAL');

async function discover(tx: Tx, run: RunRow, now: Time): Promise<Step> {
  const last = await discoverItems(tx, { run, limit: discoveredAtOnce, now });
  await updateRun(tx, run.id, { seen_envelope_id: last ?? run.last_envelope_id });
  return more;
}

async function claimBatch({ database }: Working, tx: Tx, run: RunRow, now: Time): Promise<Step | Claimed> {
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
  const items = await claimItems(tx, database.kind, run, { token, now });
  await updateRun(tx, run.id, { next_batch_at: nextBatchAt(run, items.length, now) });
  return items.length === 0 ? more : { run, items, token };
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

type Result = {
  readonly item: ItemRow;
  readonly old: OldEnvelope | undefined;
  readonly outcome: Outcome<Envelope> | null;
};

async function moveBatch(server: Working, claimed: Claimed): Promise<void> {
  const { run, items, token } = claimed;
  const { db, kind } = server.database;
  const ids = items.map(item => item.envelope_id);
  const found = await readEnvelopes(db, { tenantId: run.tenant_id, ids });
  const byId = new Map(found.map(old => [old.id, old]));
  const active = found.filter(old => old.status === 'ACTIVE');
  const rewrapped = await rewrapFor(
    server,
    run,
    active.map(({ envelope, binding }) => ({ source: envelope, binding })),
  );
  const outcomes = new Map(
    active.map((old, index) => [old.id, checkTarget(run, rewrapped[index] as Outcome<Envelope>)]),
  );
  const results = items.map(item => ({
    item,
    old: byId.get(item.envelope_id),
    outcome: outcomes.get(item.envelope_id) ?? null,
  }));
  const ended = await db.transaction().execute(async tx => {
    const held = await holdClaimed(tx, kind, token);
    const mine = results.filter(({ item }) => held.has(item.id));
    const statuses = await holdEnvelopes(tx, kind, { tenantId: run.tenant_id, ids });
    return endBatch(tx, run, judge(mine, run, statuses), server.clock.now());
  });
  for (const { ending, results: those } of ended) server.keyRotationMetrics.itemsEnded(ending, those.length);
}

async function rewrapFor(
  server: Working,
  run: RunRow,
  items: Parameters<typeof rewrapMany>[2],
): Promise<Outcome<Envelope>[]> {
  const target = findTarget(server, run);
  if (target !== undefined) return rewrapMany(server.keyProviders, target, items);
  return items.map(() => new KeyProviderError('CONFIGURATION', 'the target of the run is not configured here'));
}

/** The provider has a newer version by now: what it wraps with is not what the run promised. */
function checkTarget(run: RunRow, outcome: Outcome<Envelope>): Outcome<Envelope> {
  if (outcome instanceof KeyProviderError) return outcome;
  const isTarget = outcome.provider === run.provider && outcome.keyVersion === run.provider_key_version;
  return isTarget ? outcome : new KeyProviderError('CONFIGURATION', 'another key version wraps by now');
}

type Ending = Parameters<typeof endItems>[2];
type Group = { readonly ending: Ending; readonly results: readonly Result[]; readonly backoffMs?: number };

/** Results that end alike are written together. */
function judge(results: readonly Result[], run: RunRow, statuses: ReadonlyMap<Key, string>): Group[] {
  const groups = new Map<string, { ending: Ending; results: Result[]; backoffMs?: number }>();
  for (const result of results) {
    const verdict = judgeOne(result, run, statuses.get(result.item.envelope_id));
    const key = JSON.stringify(verdict);
    const group = groups.get(key) ?? { ...verdict, results: [] };
    group.results.push(result);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function judgeOne({ item, outcome }: Result, run: RunRow, status: string | undefined): Omit<Group, 'results'> {
  const plain = { failure_category: null, retryable: 0 } as const;
  if (status !== 'ACTIVE') {
    const isRevoked = status === 'REVOKED';
    return {
      ending: { ...plain, status: 'SKIPPED', outcome: isRevoked ? 'SKIPPED_REVOKED' : 'SKIPPED_SOURCE_CHANGED' },
    };
  }
  if (outcome !== null && !(outcome instanceof KeyProviderError))
    return { ending: { ...plain, status: 'SUCCEEDED', outcome: 'SUCCEEDED' } };
  const failure = { outcome: null, failure_category: toCategory(outcome) };
  const mayHelp = outcome?.isWorthRetrying ?? false;
  if (mayHelp && item.attempts < run.max_attempts)
    return { ending: { ...failure, status: 'PENDING', retryable: 0 }, backoffMs: backoffMs(run, item.attempts) };
  return { ending: { ...failure, status: 'FAILED', retryable: mayHelp ? 1 : 0 } };
}

async function endBatch(tx: Tx, run: RunRow, groups: readonly Group[], now: Time): Promise<readonly Group[]> {
  for (const { ending, results, backoffMs: pause } of groups) {
    const due = pause === undefined ? {} : { due_at: now + pause };
    await endItems(
      tx,
      results.map(({ item }) => item.id),
      { ...ending, ...due },
      now,
    );
    if (ending.status !== 'SUCCEEDED') continue;
    const replacements = results.flatMap(({ old, outcome }) =>
      old && outcome && !(outcome instanceof KeyProviderError) ? [{ old, envelope: outcome }] : [],
    );
    await replaceEnvelopes(tx, replacements, run.logical_key_version, now);
  }
  return groups;
}
