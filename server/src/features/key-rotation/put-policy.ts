// Says which key shall wrap a tenant's envelopes. What wraps new files must be that key already: clients never choose keys.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { putKeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import type { Call } from '../../platform/call.ts';
import { type KeyProvider, KeyProviderError } from '../../platform/crypto/envelope.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { type Wrapping, wrapperForWriting } from '../crypto-policy/index.ts';
import { getPolicy, type PolicyChange, type PolicyRow, writePolicy } from './queries.ts';

type Wish = BodyOf<typeof putKeyRotationPolicy>;

/** The same policy again changes nothing: no version, no row in the audit log, and the old key may still be retired. */
export async function putPolicy(
  server: Pick<Server, 'database' | 'clock'> & Wrapping,
  call: Call,
  wish: Wish,
): Promise<PolicyRow> {
  const { database, clock } = server;
  await checkTarget((await wrapperForWriting(server, call.actor.tenantId)).provider, wish);
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const policy = await writePolicy(tx, call.actor.tenantId, toChange(wish, now));
    if (policy === null) return getPolicy(tx, call.actor.tenantId);
    const entry = {
      module: 'key-rotation',
      operation: 'put-policy',
      description: `policy of key rotation, version ${policy.version}`,
      param: { ...wish },
    };
    await appendAudit(tx, call, entry, now);
    return policy;
  });
}

async function checkTarget(provider: KeyProvider, wish: Wish): Promise<void> {
  const mismatch = (what: string) =>
    new ApiError('UNPROCESSABLE', `new files are not wrapped by this ${what}; change the provider first`, {
      detail: { reason: 'PROVIDER_MISMATCH' },
    });
  if (wish.expectedProvider !== provider.id) throw mismatch('provider');
  if (wish.expectedProviderContract !== provider.contract) throw mismatch('contract');
  if (wish.expectedProviderKeyVersion !== (await readVersion(provider))) throw mismatch('key version');
}

const readVersion = (provider: KeyProvider): Promise<string> =>
  provider.activeKeyVersion().catch(cause => {
    if (!(cause instanceof KeyProviderError)) throw cause;
    throw new ApiError('SERVICE_UNAVAILABLE', 'the key provider does not tell its version; nothing was changed', {
      cause,
      detail: { failureCategory: cause.category },
      retryAfterSeconds: 5,
    });
  });

const toChange = (wish: Wish, now: Time): PolicyChange => ({
  provider: wish.expectedProvider,
  provider_contract: wish.expectedProviderContract,
  provider_key_version: wish.expectedProviderKeyVersion,
  logical_key_version: wish.targetLogicalKeyVersion,
  batch_size: wish.batchSize,
  max_items_per_minute: wish.maxItemsPerMinute,
  max_attempts: wish.maxAttempts,
  initial_backoff_seconds: wish.initialBackoffSeconds,
  max_backoff_seconds: wish.maxBackoffSeconds,
  lease_seconds: wish.leaseSeconds,
  grace_period_seconds: wish.gracePeriodSeconds,
  schedule_interval_seconds: wish.scheduleIntervalSeconds,
  next_run_at:
    wish.scheduleEnabled && wish.scheduleIntervalSeconds !== null ? now + wish.scheduleIntervalSeconds * 1000 : null,
  acknowledged_run_id: null,
  acknowledged_at: null,
  updated_at: now,
});
