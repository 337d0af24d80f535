// Wire format of key rotation.
import type { KeyRotationItem, KeyRotationPolicy, KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { isDiscovered } from '../runs/index.ts';
import { countFailures, countItems, type ItemRow } from './item-queries.ts';
import type { PolicyRow, RunRow } from './queries.ts';
import { readRetirement } from './retirement.ts';
import { rotations } from './rotations.ts';

export async function toPolicyView(
  { database, clock, config }: Pick<Server, 'database' | 'clock' | 'config'>,
  policy: PolicyRow,
): Promise<KeyRotationPolicy> {
  const { state, reason, readyAt } = await readRetirement(database.db, policy, clock.now());
  return {
    policyVersion: policy.version,
    provider: policy.provider,
    providerContract: policy.provider_contract,
    providerKeyVersion: policy.provider_key_version,
    targetLogicalKeyVersion: policy.logical_key_version,
    batchSize: policy.batch_size,
    maxItemsPerMinute: policy.max_items_per_minute,
    scheduleEnabled: policy.next_run_at !== null,
    scheduleIntervalSeconds: policy.schedule_interval_seconds,
    maxAttempts: policy.max_attempts,
    initialBackoffSeconds: policy.initial_backoff_seconds,
    maxBackoffSeconds: policy.max_backoff_seconds,
    leaseSeconds: policy.lease_seconds,
    gracePeriodSeconds: policy.grace_period_seconds,
    workerEnabled: config.keyRotation.enabled,
    retirement: {
      state,
      reason,
      readyAt: toIsoOrNull(readyAt),
      acknowledgedAt: state === 'ACKNOWLEDGED' ? toIsoOrNull(policy.acknowledged_at) : null,
    },
    updatedAt: toIso(policy.updated_at),
  };
}

export async function toRunView(db: Db, run: RunRow): Promise<KeyRotationRun> {
  const counts = await countItems(db, run.id);
  const failures = counts.failed === 0 ? [] : await countFailures(db, run.id);
  return {
    runId: toWireId(run.id),
    requestId: run.request_id,
    mode: run.mode,
    status: run.status,
    policyVersion: run.policy_version,
    provider: run.provider,
    providerContract: run.provider_contract,
    providerKeyVersion: run.provider_key_version,
    discoveryCompleted: run.started_at !== null && isDiscovered(rotations, run),
    totalCount: counts.total,
    succeededCount: counts.succeeded,
    skippedCount: counts.skipped,
    remainingCount: counts.remaining,
    failedCount: counts.failed,
    retryableCount: counts.retryable,
    failures: failures as KeyRotationRun['failures'],
    failureCategory: run.failure_category as KeyRotationRun['failureCategory'],
    createdAt: toIso(run.created_at),
    startedAt: toIsoOrNull(run.started_at),
    completedAt: toIsoOrNull(run.completed_at),
  };
}

export const toItemView = (item: ItemRow): KeyRotationItem => ({
  itemId: toWireId(item.id),
  recipientType: item.recipient_type as KeyRotationItem['recipientType'],
  status: item.status,
  outcome: item.outcome as KeyRotationItem['outcome'],
  failureCategory: item.failure_category as KeyRotationItem['failureCategory'],
  attempts: item.attempts,
  updatedAt: toIso(item.updated_at),
});
