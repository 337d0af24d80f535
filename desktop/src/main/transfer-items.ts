// One entry of the list of transfers: what is kept of it, what the window sees, and how it ends.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { z } from 'zod';
import type { Download, TransferState, Upload } from '../bridge/bridge.ts';
import { toKeptFailure } from '../ipc/failures.ts';
import { type Job, job, type Outcome } from '../transfers/messages.ts';

export const kept = z.object({
  id: z.string(),
  account: z.string(),
  job,
  fileName: z.string(),
  size: z.number(),
  /** What runs is noted as waiting. */
  state: z.enum(['waiting', 'paused', 'done', 'failed']),
  reason: z.object({ code: z.string(), message: z.string() }).optional(),
  fileHash: z.string().nullable(),
  verified: z.boolean(),
});
type Kept = z.infer<typeof kept>;

export type Item = Kept & { isRunning: boolean; progress: Progress | null };

/** A grant opens what somebody shares for whoever has it: it stays in memory. */
const withoutGrant = (given: Job): Job =>
  given.kind === 'download' && given.wanted.kind === 'shared-file'
    ? { ...given, wanted: { ...given.wanted, grant: null } }
    : given;

/** What the program's end leaves of it. */
export const toKept = ({ isRunning: _runs, progress: _progress, job: given, ...one }: Item): Kept => ({
  ...one,
  job: withoutGrant(given),
});
export const fromKept = (one: Kept): Item => ({ ...one, isRunning: false, progress: null });

function toState({ state, isRunning, reason, fileHash }: Item): TransferState {
  if (isRunning) return { kind: 'running' };
  if (state === 'done') return { kind: 'done', fileHash };
  if (state === 'failed') return { kind: 'failed', reason: reason ?? { code: 'broken', message: '' } };
  return { kind: state };
}

export const toUpload = (item: Item & { job: Extract<Job, { kind: 'upload' }> }): Upload => ({
  id: item.id,
  fileName: item.fileName,
  folder: item.job.folder,
  size: item.size,
  targetFileId: item.job.targetFileId,
  state: toState(item),
  progress: item.progress,
});

export const toDownload = (item: Item & { job: Extract<Job, { kind: 'download' }> }): Download => ({
  id: item.id,
  wanted: item.job.wanted,
  state: toState(item),
  progress: item.progress,
  verified: item.verified,
});

export const isUpload = (item: Item): item is Item & { job: Extract<Job, { kind: 'upload' }> } =>
  item.job.kind === 'upload';
export const isDownload = (item: Item): item is Item & { job: Extract<Job, { kind: 'download' }> } =>
  item.job.kind === 'download';

export async function toItem(account: string, given: Job): Promise<Item> {
  const isFile = given.kind === 'upload';
  const size = isFile ? (await stat(given.path)).size : given.wanted.kind === 'proof' ? 0 : given.wanted.size;
  const fileName = isFile ? basename(given.path) : given.wanted.fileName;
  const fresh = { state: 'waiting', fileHash: null, verified: false, isRunning: false, progress: null } as const;
  return { id: crypto.randomUUID(), account, job: given, fileName, size, ...fresh };
}

export function settle(item: Item, outcome: Outcome): void {
  item.isRunning = false;
  delete item.reason;
  switch (outcome.kind) {
    case 'done':
      item.state = 'done';
      item.fileHash = outcome.fileHash;
      item.verified = outcome.verified;
      break;
    case 'failed':
      item.state = 'failed';
      item.reason = toKeptFailure(outcome.failure);
      break;
    default:
      item.state = 'paused';
  }
}
