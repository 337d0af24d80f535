// Admission of file versions as candidates: when they are stored, and later those stored while the feature was off.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Consumer } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { setProofStatus } from '../files/index.ts';
import { areReady, insertCandidates } from './candidate-queries.ts';
import type { Attesting } from './metrics.ts';

export const runJobKind = 'attestation.run';

/** Returns how many of the files became candidates by this call. */
export async function admitFiles(
  tx: Tx,
  { clock }: Pick<Server, 'clock'>,
  { tenantId, fileIds }: { readonly tenantId: Key; readonly fileIds: readonly Key[] },
): Promise<number> {
  const admitted = await insertCandidates(tx, { tenantId, fileIds, limit: fileIds.length }, clock.now());
  await setProofStatus(tx, tenantId, admitted, 'PENDING');
  return admitted.length;
}

export async function seedCandidates(
  { database, clock, config, attestationMetrics: metrics }: Attesting,
  tenantId: Key,
): Promise<number> {
  if (config.attestation.seedLimit === 0) return 0;
  const admitted = await database.db.transaction().execute(async tx => {
    const files = await insertCandidates(tx, { tenantId, limit: config.attestation.seedLimit }, clock.now());
    await setProofStatus(tx, tenantId, files, 'PENDING');
    return files.length;
  });
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
    const admitted = await admitFiles(tx, server, { tenantId, fileIds });
    if (admitted === 0) return;
    metrics.candidates('admitted', admitted);
    const now = clock.now();
    if (await areReady(tx, tenantId, config.attestation.minBatchSize, now)) await requestRun(tx, tenantId, now);
  },
});
