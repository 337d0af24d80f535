import { attestationStatus } from '@recordproof/shared/api/attestation.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';

export default command({
  summary: 'Show limits and backlog of attestation',
  examples: [{ command: 'admin attestation status', description: 'What waits to be put into a batch?' }],
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
