// Tasks of the program's transfers: their stored form, their form in the window, and their creation from files.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { commonFolder } from '@recordproof/shared/file-path.ts';
import { groupSmall } from '@recordproof/shared/transfer/upload-set.ts';
import { z } from 'zod';
import type { Download, TransferState, Upload } from '../bridge/bridge.ts';
import type { SplitTask, Transfer } from '../engine/transfer-queue.ts';
import { type Job, job } from '../transfers/messages.ts';

export const storedTransfer = z.object({
  id: z.string(),
  account: z.string(),
  /** User name that started it: it runs in no other person's session. */
  person: z.string().nullable(),
  job,
  fileName: z.string(),
  size: z.number(),
  /** A running one is stored as waiting. */
  state: z.enum(['waiting', 'paused', 'done', 'failed']),
  reason: z.object({ code: z.string(), message: z.string() }).optional(),
  fileHash: z.string().nullable(),
  verified: z.boolean(),
});
type StoredTransfer = z.infer<typeof storedTransfer>;

export type Task = Pick<StoredTransfer, 'person' | 'job' | 'fileName' | 'size'>;

/** A grant opens a share without its password: it stays in memory. */
const withoutGrant = (one: Job): Job =>
  one.kind === 'download' && one.wanted.kind === 'shared-file'
    ? { ...one, wanted: { ...one.wanted, grant: null } }
    : one;

export const toStored = ({ id, account, task, state, verified }: Transfer<Task>): StoredTransfer => ({
  ...{ id, account, ...task, verified },
  job: withoutGrant(task.job),
  state: state.kind === 'needs-file' ? 'paused' : state.kind,
  ...(state.kind === 'failed' && { reason: state.reason }),
  fileHash: state.kind === 'done' ? state.fileHash : null,
});

function toState({ state, reason = { code: 'broken', message: '' }, fileHash }: StoredTransfer) {
  if (state === 'done') return { kind: state, fileHash };
  return state === 'failed' ? { kind: state, reason } : { kind: state };
}

export const fromStored = (stored: StoredTransfer): Transfer<Task> => {
  const { id, account, person, job, fileName, size, verified } = stored;
  return { id, account, task: { person, job, fileName, size }, state: toState(stored), verified, progress: null };
};

export function toUpload({ id, task, progress }: Transfer<Task>, state: TransferState): Upload[] {
  const { job, fileName, size } = task;
  if (job.kind === 'download') return [];
  const of =
    job.kind === 'upload'
      ? { folder: job.folder, files: 1, targetFileId: job.targetFileId }
      : { folder: commonFolder(job.files.map(({ folder }) => folder)), files: job.files.length, targetFileId: null };
  return [{ id, fileName, size, ...of, state, progress }];
}

export const toDownload = ({ id, task, verified, progress }: Transfer<Task>, state: TransferState): Download[] =>
  task.job.kind === 'download' ? [{ id, wanted: task.job.wanted, state, progress, verified }] : [];

const sumSizes = (files: readonly { readonly size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

async function describe(job: Job): Promise<{ readonly fileName: string; readonly size: number }> {
  if (job.kind === 'upload') return { fileName: basename(job.path), size: (await stat(job.path)).size };
  if (job.kind === 'upload-set') return { fileName: basename(job.files[0]?.path ?? ''), size: sumSizes(job.files) };
  const { wanted } = job;
  return { fileName: wanted.fileName, size: wanted.kind === 'proof' ? 0 : wanted.size };
}

export const toTask = async (person: string | null, job: Job): Promise<Task> => ({
  person,
  job,
  ...(await describe(job)),
});

type Chosen = { readonly path: string; readonly folder: string | null };

const toUploadJob = ({ path, folder }: Chosen, targetFileId: string | null): Job => ({
  kind: 'upload',
  path,
  folder,
  targetFileId,
});

/** Small files share a set; each of the others is an upload of its own. */
export async function toUploadJobs(files: readonly Chosen[], targetFileId: string | null): Promise<Job[]> {
  if (targetFileId !== null) return files.map(file => toUploadJob(file, targetFileId));
  const sized: (Chosen & { readonly size: number })[] = [];
  for (const file of files) sized.push({ ...file, size: (await stat(file.path)).size });
  return groupSmall(sized, ({ path, size }) => ({ name: basename(path), size })).map(group => {
    const [first, ...others] = group;
    return first && others.length === 0 ? toUploadJob(first, null) : { kind: 'upload-set', files: group };
  });
}

/** An upload of its own for each rejected member of a set; the set keeps the others, and its name. */
export function splitSet(task: Task, rejected: readonly number[]): SplitTask<Task> {
  const { job, person } = task;
  if (job.kind !== 'upload-set') return { rest: task, apart: [] };
  const apart = rejected.map(at => {
    const file = job.files[at];
    return file && { person, job: toUploadJob(file, null), fileName: basename(file.path), size: file.size };
  });
  const files = job.files.filter((_, at) => !rejected.includes(at));
  if (files.length === 0) return { rest: null, apart };
  return { rest: { ...task, job: { kind: 'upload-set', files }, size: sumSizes(files) }, apart };
}
