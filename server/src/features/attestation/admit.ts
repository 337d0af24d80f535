// Lets file versions in as candidates: when they are stored, and later whatever was missed while the feature was off.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Consumer } from '../../platform/outbox/outbox.ts';
import { setProofStatus } from '../files/index.ts';
import { areReady, insertCandidates } from './candidate-queries.ts';
import type { AttestationPorts } from './ports.ts';

export const runJobKind = 'attestation.run';

/** Answers whether the file became a candidate by this call. */
export async function admitFile(
  tx: Tx,
  { clock }: Pick<AttestationPorts, 'clock'>,
  file: { readonly tenantId: Key; readonly fileId: Key },
): Promise<boolean> {
  const admitted = await insertCandidates(tx, { ...file, limit: 1 }, clock.now());
  await setProofStatus(tx, file.tenantId, admitted, 'PENDING');
  return admitted.length > 0;
}

export async function seedCandidates(
  { database, clock, limits, metrics }: AttestationPorts,
  tenantId: Key,
): Promise<number> {
  if (limits.seedLimit === 0) return 0;
  const admitted = await database.db.transaction().execute(async tx => {
    const files = await insertCandidates(tx, { tenantId, limit: limits.seedLimit }, clock.now());
    await setProofStatus(tx, tenantId, files, 'PENDING');
    return files.length;
  });
  metrics.candidates('admitted', admitted);
  return admitted;
}

/** One that waits already is enough. */
export const requestRun = (tx: Tx, tenantId: Key, now: Time): Promise<void> =>
  enqueue(tx, { kind: runJobKind, payload: { tenantId }, uniqueKey: `tenant:${tenantId}` }, now);

/** Where enough wait for a batch, a run is asked for at once instead of at the next poll. */
export const admitStoredFiles = (ports: AttestationPorts): Consumer => ({
  name: 'attestation-admission',
  types: ['file.stored'],
  handle: async (tx, { tenantId, payload }) => {
    const { limits, clock, metrics } = ports;
    if (!limits.enabled || tenantId === null || typeof payload.fileId !== 'number') return;
    if (!(await admitFile(tx, ports, { tenantId, fileId: payload.fileId }))) return;
    metrics.candidates('admitted', 1);
    const now = clock.now();
    if (await areReady(tx, tenantId, limits.minBatchSize, now)) await requestRun(tx, tenantId, now);
  },
});
