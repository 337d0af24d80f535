// Admission of file versions as candidates: when they are stored, and later those stored while the feature was off.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Consumer } from '../../platform/outbox/outbox.ts';
import { setProofStatus } from '../files/index.ts';
import { type Admission, areReady, insertCandidates } from './candidate-queries.ts';
import type { Attesting } from './metrics.ts';

export const runJobKind = 'attestation.run';

/** Returns how many of the files became candidates by this call. */
export async function admitFiles(tx: Tx, admission: Admission, now: Time): Promise<number> {
  const admitted = await insertCandidates(tx, admission, now);
  await setProofStatus(tx, admission.tenantId, admitted, 'PENDING');
  return admitted.length;
}

export async function seedCandidates(
  { database, clock, config, attestationMetrics: metrics }: Attesting,
  tenantId: Key,
): Promise<number> {
  const limit = config.attestation.seedLimit;
  if (limit === 0) return 0;
  const admitted = await database.db.transaction().execute(tx => admitFiles(tx, { tenantId, limit }, clock.now()));
  metrics.candidates('admitted', admitted);
  return admitted;
}

/** Keeps at most one pending run. */
export const requestRun = (tx: Tx, tenantId: Key, now: Time): Promise<void> =>
  enqueue(tx, { kind: runJobKind, payload: { tenantId }, uniqueKey: `tenant:${tenantId}` }, now);

/** Requests a run at once when enough candidates wait for a batch, instead of at the next poll. */
export const admitStoredFiles = (server: Attesting): Consumer => ({
  name: 'attestation-admission',
  types: ['file.stored'],
  handle: async (tx, stored) => {
    const { config, clock, attestationMetrics: metrics } = server;
    const tenantId = stored[0]?.tenantId;
    if (!config.attestation.enabled || tenantId === undefined || tenantId === null) return;
    const fileIds = stored.map(({ payload }) => payload.fileId).filter(id => typeof id === 'number');
    const now = clock.now();
    const admitted = await admitFiles(tx, { tenantId, fileIds, limit: fileIds.length }, now);
    if (admitted === 0) return;
    metrics.candidates('admitted', admitted);
    if (await areReady(tx, tenantId, config.attestation.minBatchSize, now)) await requestRun(tx, tenantId, now);
  },
});
