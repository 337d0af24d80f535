// Deletion of every file of a deleted account, as an administrator would: the bytes are purged after the retention
// period.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { localCall } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler, type JobRun } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { listDeletableFiles } from '../files/index.ts';
import { deleteFile } from './delete-file.ts';

const jobKind = 'files.delete-of-owner';
const batch = 100;

type Scope = { readonly tenantId: Key; readonly ownerId?: Key };

export const enqueueDeletionOfFiles = (tx: Tx, payload: Required<Scope>, now: Time) =>
  enqueue(tx, { kind: jobKind, payload }, now);

/** All current files of an owner or a tenant. An interrupted run continues with the remaining ones. */
export async function deleteLiveFiles(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  job: Pick<JobRun, 'signal' | 'keepLease'>,
  { scope, reason, by }: { readonly scope: Scope; readonly reason: string; readonly by: string },
): Promise<void> {
  for (;;) {
    const files = await listDeletableFiles(database.db, scope, batch);
    for (const { file_hash: fileHash } of files) {
      job.signal.throwIfAborted();
      const call = localCall(by, scope.tenantId, clock.now());
      await deleteFile({ database, clock }, call, { scope, fileHash, reason }).catch(ignoreNotFound);
    }
    if (files.length < batch) return;
    await job.keepLease();
  }
}

export const deleteFilesOfOwner = (server: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: jobKind,
  leaseSeconds: 120,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(10, 600),
  run: job => {
    const scope = job.payload as Required<Scope>;
    return deleteLiveFiles(server, job, { scope, reason: 'the account of the owner was deleted', by: jobKind });
  },
});

/** An administrator deleted it meanwhile. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof ApiError) || error.kind !== 'FILE_NOT_EXIST') throw error;
}
