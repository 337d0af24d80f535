// One entry of the list of transfers: what is kept of it, what the window sees, and how it ends.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { commonFolder, groupSmall } from '@recordproof/shared/transfer/upload-set.ts';
import { z } from 'zod';
import type { Download, TransferState, Upload } from '../bridge/bridge.ts';
import { toKeptFailure } from '../ipc/failures.ts';
import { type Job, job, type Outcome } from '../transfers/messages.ts';

export const kept = z.object({
  id: z.string(),
  account: z.string(),
  /** Who was signed in there: nobody else's files are stored, or fetched, with it. */
  person: z.string().nullable(),
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

type UploadJob = Extract<Job, { kind: 'upload' | 'upload-set' }>;

export const toUpload = (item: Item & { job: UploadJob }): Upload => ({
  id: item.id,
  fileName: item.fileName,
  folder: item.job.kind === 'upload' ? item.job.folder : commonFolder(item.job.files.map(({ folder }) => folder)),
  files: item.job.kind === 'upload' ? 1 : item.job.files.length,
  size: item.size,
  targetFileId: item.job.kind === 'upload' ? item.job.targetFileId : null,
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

export const isUpload = (item: Item): item is Item & { job: UploadJob } => item.job.kind !== 'download';
export const isDownload = (item: Item): item is Item & { job: Extract<Job, { kind: 'download' }> } =>
  item.job.kind === 'download';

const sumSizes = (files: readonly { readonly size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

async function describe(job: Job): Promise<{ fileName: string; size: number }> {
  if (job.kind === 'download') {
    const { wanted } = job;
    return { fileName: wanted.fileName, size: wanted.kind === 'proof' ? 0 : wanted.size };
  }
  if (job.kind === 'upload') return { fileName: basename(job.path), size: (await stat(job.path)).size };
  return { fileName: basename(job.files[0]?.path ?? ''), size: sumSizes(job.files) };
}

export async function toItem(owner: Pick<Item, 'account' | 'person'>, job: Job): Promise<Item> {
  const fresh = { state: 'waiting', fileHash: null, verified: false, isRunning: false, progress: null } as const;
  return { id: crypto.randomUUID(), ...owner, job, ...(await describe(job)), ...fresh };
}

type Chosen = { readonly path: string; readonly folder: string | null };

const toUploadJob = ({ path, folder }: Chosen, targetFileId: string | null): Job => ({
  kind: 'upload',
  path,
  folder,
  targetFileId,
});

/** Small files together, the others each alone. */
export async function toUploadJobs(files: readonly Chosen[], targetFileId: string | null): Promise<Job[]> {
  if (targetFileId !== null) return files.map(file => toUploadJob(file, targetFileId));
  const looked: (Chosen & { readonly size: number })[] = [];
  for (const file of files) looked.push({ ...file, size: (await stat(file.path)).size });
  return groupSmall(looked, ({ path, size }) => ({ name: basename(path), size })).map(group => {
    const [first, ...others] = group;
    return first && others.length === 0 ? toUploadJob(first, null) : { kind: 'upload-set', files: group };
  });
}

/** Uploads of their own for those of a set that were refused, each with its reason; the set is left with the others. */
export function setApart(item: Item, outcome: Outcome): Item[] {
  const { job } = item;
  if (outcome.kind !== 'done' || job.kind !== 'upload-set' || !outcome.refused?.length) return [];
  const apart: Item[] = [];
  for (const { at, failure } of outcome.refused) {
    const file = job.files[at];
    if (!file) continue;
    const { size } = file;
    const made = { ...fromKept(toKept(item)), id: crypto.randomUUID(), job: toUploadJob(file, null), size };
    settle(made, { kind: 'failed', failure });
    apart.push({ ...made, fileName: basename(file.path) });
  }
  const refused = new Set(outcome.refused.map(({ at }) => at));
  const files = job.files.filter((_, at) => !refused.has(at));
  item.job = { kind: 'upload-set', files };
  item.size = sumSizes(files);
  return apart;
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
