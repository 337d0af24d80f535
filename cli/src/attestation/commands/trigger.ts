import { triggerAttestation } from '@recordproof/shared/api/attestation.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';

export default command({
  summary: 'Put what waits into batches and on the chain, now',
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
