// Commands under `admin attestation`.
import { attestationStatus, triggerAttestation } from '@recordproof/shared/api/attestation.ts';
import { command } from '../platform/command.ts';
import { alignRows } from '../platform/table.ts';

export const status = command({
  summary: 'Show limits and backlog of attestation',
  examples: [{ command: 'admin attestation status', description: 'Files that wait for a batch' }],
  run: async ({ context }) => (await context.session()).call(attestationStatus),
  text: status =>
    alignRows([
      ['enabled', status.enabled ? 'yes' : 'no'],
      ['batch size', `${status.minBatchSize} to ${status.maxBatchSize}, at most ${status.maxBatchesPerRun} in one run`],
      ['longest wait', `${status.maxWaitSeconds} s`],
      ['taken up later', `at most ${status.seedLimit} in one run`],
      ['ready', String(status.readyCandidates)],
      ['claimed', String(status.claimedCandidates)],
      ['in batches', String(status.batchedCandidates)],
      ['dead letters', String(status.deadLetterCandidates)],
      ['oldest since', status.oldestReadyAt ?? 'none'],
      ['batches due', String(status.dueBatches)],
    ]),
});

export const trigger = command({
  summary: 'Put waiting files into batches and on the chain, now',
  examples: [{ command: 'admin attestation trigger', description: 'One run, within its limits' }],
  run: async ({ context }) => (await context.session()).call(triggerAttestation),
  text: run =>
    run.enabled
      ? alignRows([
          ['admitted', String(run.candidatesAdmitted)],
          ['claimed', String(run.candidatesClaimed)],
          ['dead letters', String(run.candidatesDeadLettered)],
          ['batches created', String(run.batchesCreated)],
          ['recovered', String(run.batchesRecovered)],
          ['completed', String(run.batchesCompleted)],
          ['retrying', String(run.batchesRetrying)],
          ['to be reviewed', String(run.batchesManualReview)],
          ['batches', run.batchIds.join(' ')],
        ])
      : '',
  note: run => (run.enabled ? '' : 'attestation is off on this server; nothing was done'),
});
