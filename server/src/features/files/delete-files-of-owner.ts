// Deletes every file of a deleted account, as an administrator would: the bytes are purged after the retention time.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { localCall } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { deleteFile } from './delete-file.ts';
import { listLiveFilesOfOwner } from './queries.ts';

const jobKind = 'files.delete-of-owner';
const batch = 100;

type Payload = { readonly tenantId: Key; readonly ownerId: Key };

export const enqueueDeletionOfFiles = (tx: Tx, payload: Payload, now: Time) =>
  enqueue(tx, { kind: jobKind, payload }, now);

export const deleteFilesOfOwner = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: jobKind,
  leaseSeconds: 120,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async job => {
    const { tenantId, ownerId } = job.payload as Payload;
    const reason = 'the account of the owner was deleted';
    for (;;) {
      const files = await listLiveFilesOfOwner(database.db, { tenantId, ownerId }, batch);
      for (const { file_hash: fileHash } of files) {
        job.signal.throwIfAborted();
        const call = localCall(jobKind, tenantId, clock.now());
        await deleteFile({ database, clock }, call, { scope: { tenantId, ownerId }, fileHash, reason }).catch(
          ignoreGone,
        );
      }
      if (files.length < batch) return;
      await job.keepLease();
    }
  },
});

/** An administrator deleted it in between. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.kind !== 'FILE_NOT_EXIST') throw error;
}
