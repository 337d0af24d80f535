// Uploads through the server, which encrypts. Parts are sent as they are read; meanwhile the whole file is hashed, and
// the digest is compared with the one reported by the server.
import { completeUploadSession, createUploadSession } from '../api/upload-sessions.ts';
import type { UploadResult } from '../api/uploads.ts';
import { runTaskGroup } from './task-group.ts';
import { TransferError } from './transfer-error.ts';
import {
  callWithRetry,
  completeWithRetry,
  inParallel,
  lengthOf,
  sendProxiedPart,
  signalOf,
  toStartBody,
  type UploadAttempt,
} from './upload-attempt.ts';

async function create(attempt: UploadAttempt): Promise<ReadonlySet<number>> {
  const { plan } = attempt;
  const started = await callWithRetry(attempt, signalOf(attempt), createUploadSession, { body: toStartBody(attempt) });
  if (started.chunkSize !== plan.chunkSize || started.totalChunks !== plan.totalChunks)
    throw new TransferError(
      'wrong-answer',
      `the server planned ${started.totalChunks} chunks of ${started.chunkSize} bytes instead of ${plan.totalChunks} of ${plan.chunkSize}`,
    );
  return new Set(started.uploadedChunks);
}

export const completeProxied = (attempt: UploadAttempt): Promise<UploadResult> =>
  completeWithRetry(attempt, signal =>
    callWithRetry(attempt, signal, completeUploadSession, { params: { clientId: attempt.plan.clientId } }),
  );

export async function uploadProxied(attempt: UploadAttempt): Promise<{ result: UploadResult; contentHash: string }> {
  const { plan, meter, source } = attempt;
  const stored = await create(attempt);
  for (const index of stored) meter.skipped(lengthOf(plan, index));
  meter.enter('sending');
  let next = 0;
  let contentHash = plan.contentHash ?? '';
  await runTaskGroup(attempt.signal, ({ signal }) => [
    async () => {
      if (plan.contentHash) return;
      contentHash = await source.digest(0, plan.fileSize, signal);
      meter.hashed(plan.fileSize);
    },
    ...inParallel(attempt.jobs, async () => {
      while (next < plan.totalChunks) {
        const index = next++;
        if (!stored.has(index)) await sendProxiedPart(attempt, index, signal);
      }
    }),
  ]);
  await source.assertUnchanged();
  meter.enter('finishing');
  return { result: await completeProxied(attempt), contentHash };
}
