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
  type UploadRun,
} from './upload-run.ts';

async function create(run: UploadRun): Promise<ReadonlySet<number>> {
  const { plan } = run;
  const started = await callWithRetry(run, signalOf(run), createUploadSession, { body: toStartBody(run) });
  if (started.chunkSize !== plan.chunkSize || started.totalChunks !== plan.totalChunks)
    throw new TransferError(
      'wrong-answer',
      `the server planned ${started.totalChunks} chunks of ${started.chunkSize} bytes instead of ${plan.totalChunks} of ${plan.chunkSize}`,
    );
  return new Set(started.uploadedChunks);
}

export const completeProxied = (run: UploadRun): Promise<UploadResult> =>
  completeWithRetry(run, signal =>
    callWithRetry(run, signal, completeUploadSession, { params: { clientId: run.plan.clientId } }),
  );

export async function uploadProxied(run: UploadRun): Promise<{ result: UploadResult; contentHash: string }> {
  const { plan, meter, source } = run;
  const stored = await create(run);
  for (const index of stored) meter.skipped(lengthOf(plan, index));
  meter.enter('sending');
  let next = 0;
  let contentHash = plan.contentHash ?? '';
  await runTaskGroup(run.signal, ({ signal }) => [
    async () => {
      if (plan.contentHash) return;
      contentHash = await source.digest(0, plan.fileSize, signal);
      meter.hashed(plan.fileSize);
    },
    ...inParallel(run.jobs, async () => {
      while (next < plan.totalChunks) {
        const index = next++;
        if (!stored.has(index)) await sendProxiedPart(run, index, signal);
      }
    }),
  ]);
  await source.assertUnchanged();
  meter.enter('finishing');
  return { result: await completeProxied(run), contentHash };
}
