// One batch of a key rotation: the key provider rewraps its envelopes, then each item ends in the database.
import { type Envelope, type KeyProvider, KeyProviderError, type Outcome } from '../../platform/crypto/envelope.ts';
import { rewrapMany } from '../../platform/crypto/rewrap-many.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { lockEnvelopes, type OldEnvelope, readEnvelopes, replaceEnvelopes } from '../envelopes/index.ts';
import { endItems, type ItemEnding, type ItemRow, lockClaimed } from './item-queries.ts';
import { backoffMs } from './policy.ts';
import type { RunRow } from './queries.ts';

export type Claimed = { readonly run: RunRow; readonly items: readonly ItemRow[]; readonly token: string };

type RewrapResult = {
  readonly item: ItemRow;
  /** Absent if the envelope was no longer ACTIVE, so that the provider was not called. */
  readonly rewrapped?: { readonly old: OldEnvelope; readonly outcome: Outcome<Envelope> };
};
export type RewrappedBatch = Pick<Claimed, 'run' | 'token'> & { readonly results: readonly RewrapResult[] };

export const findTarget = (
  keyProviders: Server['keyProviders'],
  run: Pick<RunRow, 'provider' | 'provider_contract'>,
): KeyProvider | undefined =>
  keyProviders.find(({ id, contract }) => id === run.provider && contract === run.provider_contract);

const noTarget = ({ id, provider, provider_contract }: RunRow) =>
  new KeyProviderError(
    'CONFIGURATION',
    `the key provider ${provider}/${provider_contract} of run ${id} is not configured on this server; add its settings again`,
  );

/** Calls the key provider; stores nothing. */
export async function rewrapBatch(
  { database, keyProviders }: Pick<Server, 'database' | 'keyProviders'>,
  { run, items, token }: Claimed,
): Promise<RewrappedBatch> {
  const ids = items.map(item => item.envelope_id);
  const found = await readEnvelopes(database.db, database.kind, { tenantId: run.tenant_id, ids });
  const active = found.filter(({ status }) => status === 'ACTIVE');
  const requests = active.map(({ envelope, binding }) => ({ source: envelope, binding }));
  const target = findTarget(keyProviders, run);
  const outcomes = target ? await rewrapMany(keyProviders, target, requests) : requests.map(() => noTarget(run));
  const rewrapped = new Map(
    active.map((old, index) => [old.id, { old, outcome: checkTarget(run, outcomes[index] as Outcome<Envelope>) }]),
  );
  const results = items.map((item): RewrapResult => {
    const own = rewrapped.get(item.envelope_id);
    return own ? { item, rewrapped: own } : { item };
  });
  return { run, token, results };
}

/** A failure if the provider wraps with another key version than the run's target. */
function checkTarget(run: RunRow, outcome: Outcome<Envelope>): Outcome<Envelope> {
  if (outcome instanceof KeyProviderError) return outcome;
  const isTarget = outcome.provider === run.provider && outcome.keyVersion === run.provider_key_version;
  return isTarget
    ? outcome
    : new KeyProviderError(
        'CONFIGURATION',
        `the key provider ${outcome.provider} now wraps with version ${outcome.keyVersion}, run ${run.id} rotates to ${run.provider_key_version}: start a new run`,
      );
}

type ItemResult = { readonly ending: ItemEnding; readonly backoffMs?: number };
export type Ended = { readonly ending: ItemEnding; readonly count: number };

/** Only items still under this claim, and only envelopes still ACTIVE. */
export async function endBatch(
  tx: Tx,
  engine: Engine,
  { run, token, results }: RewrappedBatch,
  now: Time,
): Promise<Ended[]> {
  const claimed = await lockClaimed(tx, engine, { token, ids: results.map(({ item }) => item.id) });
  const own = results.filter(({ item }) => claimed.has(item.id));
  if (own.length === 0) return [];
  const ids = own.map(({ item }) => item.envelope_id);
  const statuses = await lockEnvelopes(tx, engine, { tenantId: run.tenant_id, ids });
  const groups = Map.groupBy(own, result =>
    JSON.stringify(toVerdict(result, run, statuses.get(result.item.envelope_id))),
  );
  const ended: Ended[] = [];
  for (const [verdict, those] of groups) {
    const { ending, backoffMs: pause }: ItemResult = JSON.parse(verdict);
    const due = pause === undefined ? {} : { due_at: now + pause };
    const itemIds = those.map(({ item }) => item.id);
    await endItems(tx, engine, itemIds, { ...ending, ...due }, now);
    if (ending.status === 'SUCCEEDED')
      await replaceEnvelopes(tx, engine, toReplacements(those), { logicalVersion: run.logical_key_version, now });
    ended.push({ ending, count: those.length });
  }
  return ended;
}

function toVerdict({ item, rewrapped }: RewrapResult, run: RunRow, status: string | undefined): ItemResult {
  const plain = { failure_category: null, retryable: 0 } as const;
  if (status !== 'ACTIVE' || rewrapped === undefined) {
    const outcome = status === 'REVOKED' ? 'SKIPPED_REVOKED' : 'SKIPPED_SOURCE_CHANGED';
    return { ending: { ...plain, status: 'SKIPPED', outcome } };
  }
  const { outcome: failure } = rewrapped;
  if (!(failure instanceof KeyProviderError))
    return { ending: { ...plain, status: 'SUCCEEDED', outcome: 'SUCCEEDED' } };
  const failed = { outcome: null, failure_category: failure.category };
  if (failure.isWorthRetrying && item.attempts < run.max_attempts)
    return { ending: { ...failed, status: 'PENDING', retryable: 0 }, backoffMs: backoffMs(run, item.attempts) };
  return { ending: { ...failed, status: 'FAILED', retryable: failure.isWorthRetrying ? 1 : 0 } };
}

const toReplacements = (results: readonly RewrapResult[]) =>
  results.flatMap(({ rewrapped }) =>
    rewrapped === undefined || rewrapped.outcome instanceof KeyProviderError
      ? []
      : [{ old: rewrapped.old, envelope: rewrapped.outcome }],
  );
