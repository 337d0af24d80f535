// Tables of rotation policies, runs and items.
import type { KeyRotationItem, KeyRotationPolicy, KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import { blockerTexts } from '@recordproof/shared/api/retirement-blockers.ts';
import { toMinute } from '../platform/output.ts';
import { runColumns, timeRows, totalText } from '../platform/plain-runs.ts';
import { alignRows, extra, tableOf } from '../platform/table.ts';
import { toCount, toDuration } from '../platform/units.ts';

type KeyOfRun = Pick<KeyRotationRun, 'provider' | 'providerContract' | 'providerKeyVersion'>;

export const keyText = ({ provider, providerContract, providerKeyVersion }: KeyOfRun): string =>
  `${provider} (contract ${providerContract}), version ${providerKeyVersion}`;

function retirementText({ state, reason, readyAt, acknowledgedAt }: KeyRotationPolicy['retirement']): string {
  if (state === 'ACKNOWLEDGED') return `gone, as was noted at ${acknowledgedAt}`;
  if (state === 'READY') return 'may be retired';
  return `still needed: ${reason === null ? 'unknown why' : blockerTexts[reason]}${readyAt === null ? '' : `, until ${readyAt}`}`;
}

export const policyText = (policy: KeyRotationPolicy): string =>
  alignRows([
    ['policy', String(policy.policyVersion)],
    ['target', keyText(policy)],
    ['logical version', String(policy.targetLogicalKeyVersion)],
    ['pace', `batches of ${policy.batchSize}, at most ${toCount(policy.maxItemsPerMinute)} a minute`],
    ['tries', `${policy.maxAttempts}, ${policy.initialBackoffSeconds} s to ${policy.maxBackoffSeconds} s apart`],
    ['lease', `${policy.leaseSeconds} s`],
    ['schedule', policy.scheduleEnabled ? `every ${policy.scheduleIntervalSeconds} s` : 'off'],
    ['grace period', `${policy.gracePeriodSeconds} s`],
    ['old key', retirementText(policy.retirement)],
    ['worked on here', policy.workerEnabled ? 'yes' : 'no: key.rotation.enabled is false'],
    ['updated', policy.updatedAt],
  ]);

export const failuresText = ({ failures }: KeyRotationRun): string =>
  failures.map(({ category, count }) => `${category} ${toCount(count)}`).join(', ');

const spanText = (run: KeyRotationRun): string[][] => {
  const { startedAt, completedAt } = run;
  if (startedAt === null || completedAt === null) return [];
  return [['took', toDuration((Date.parse(completedAt) - Date.parse(startedAt)) / 1000)]];
};

export const runText = (run: KeyRotationRun): string =>
  alignRows([
    ['run', run.runId],
    ['request', run.requestId],
    ['mode', run.mode],
    ['status', run.failureCategory === null ? run.status : `${run.status}: ${run.failureCategory}`],
    ['target', keyText(run)],
    ['policy', String(run.policyVersion)],
    ['envelopes', totalText(run)],
    [run.mode === 'APPLY' ? 'moved' : 'to be moved', toCount(run.succeededCount)],
    ['skipped', toCount(run.skippedCount)],
    ['waiting', toCount(run.remainingCount)],
    ['failed', toCount(run.failedCount)],
    ...(run.failedCount === 0 ? [] : [['by category', failuresText(run)]]),
    ...(run.retryableCount === 0 ? [] : [['to retry', toCount(run.retryableCount)]]),
    ...timeRows(run),
    ...spanText(run),
  ]);

export const runsTable = tableOf<KeyRotationRun>({
  ...runColumns,
  'KEY VERSION': extra(run => run.providerKeyVersion),
  REQUEST: extra(run => run.requestId),
  CREATED: run => toMinute(run.createdAt),
});

const resultOf = ({ outcome, status, failureCategory }: KeyRotationItem): string =>
  outcome ?? [status, failureCategory ?? ''].join(' ').trim();

export const itemsTable = tableOf<KeyRotationItem>({
  ITEM: item => item.itemId,
  RECIPIENT: item => item.recipientType,
  RESULT: resultOf,
  TRIES: item => String(item.attempts),
  UPDATED: item => toMinute(item.updatedAt),
});
