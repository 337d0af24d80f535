// Saving the policy of key rotation: target key, rate, schedule. The target must already wrap new files: clients never
// choose keys.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { putKeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import type { Call } from '../../platform/call.ts';
import { type KeyProvider, KeyProviderError } from '../../platform/crypto/envelope.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type Wrapping, wrapperForWriting } from '../crypto-policy/index.ts';
import { getPolicy, type PolicyChange, type PolicyRow, writePolicy } from './queries.ts';

type Input = BodyOf<typeof putKeyRotationPolicy>;

/** Saving an equal policy changes nothing: no version, no audit row, and a retirement stays valid. */
export async function putPolicy(
  server: Pick<Server, 'database' | 'clock'> & Wrapping,
  call: Call,
  input: Input,
): Promise<PolicyRow> {
  const { database, clock } = server;
  await checkTarget((await wrapperForWriting(server, call.actor.tenantId)).provider, input);
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const policy = await writePolicy(tx, call.actor.tenantId, toChange(input, now));
    if (policy === null) return getPolicy(tx, call.actor.tenantId);
    await recordAudit(tx, call, now, 'key-rotation.put-policy', `policy of key rotation, version ${policy.version}`, {
      ...input,
    });
    return policy;
  });
}

async function checkTarget(provider: KeyProvider, input: Input): Promise<void> {
  const check = (what: string, expected: string | number, actual: string | number) => {
    if (expected === actual) return;
    const message = `new files are wrapped by the ${what} ${actual}, not by ${expected}; change it first`;
    throw new ApiError('UNPROCESSABLE', message, { detail: { reason: 'PROVIDER_MISMATCH' } });
  };
  check('provider', input.expectedProvider, provider.id);
  check('contract', input.expectedProviderContract, provider.contract);
  check('key version', input.expectedProviderKeyVersion, await readVersion(provider));
}

const readVersion = (provider: KeyProvider): Promise<string> =>
  provider.activeKeyVersion().catch(cause => {
    if (!(cause instanceof KeyProviderError)) throw cause;
    const message = 'the key provider did not return its active key version; nothing was changed, try again';
    const detail = { failureCategory: cause.category };
    throw new ApiError('SERVICE_UNAVAILABLE', message, { cause, detail, retryAfterSeconds: 5 });
  });

const toChange = (input: Input, now: Time): PolicyChange => ({
  provider: input.expectedProvider,
  provider_contract: input.expectedProviderContract,
  provider_key_version: input.expectedProviderKeyVersion,
  logical_key_version: input.targetLogicalKeyVersion,
  batch_size: input.batchSize,
  max_items_per_minute: input.maxItemsPerMinute,
  max_attempts: input.maxAttempts,
  initial_backoff_seconds: input.initialBackoffSeconds,
  max_backoff_seconds: input.maxBackoffSeconds,
  lease_seconds: input.leaseSeconds,
  grace_period_seconds: input.gracePeriodSeconds,
  schedule_interval_seconds: input.scheduleIntervalSeconds,
  next_run_at:
    input.scheduleEnabled && input.scheduleIntervalSeconds !== null ? now + input.scheduleIntervalSeconds * 1000 : null,
  acknowledged_run_id: null,
  acknowledged_at: null,
  updated_at: now,
});
