// The area of selftests in the installation's folders and bucket. A run removes its part at the end; the next run or a
// running server removes that of a killed run.
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from './durable-files.ts';
import { isFromDeadProcess, toTemporaryName } from './objects/disk-files.ts';
import type { ObjectStore } from './objects/object-store.ts';

const areaName = 'selftest';

/** Prefix of selftest keys in an S3 bucket. */
export const selftestArea = `${areaName}/`;

/** Identifies the machine and process of a run. */
export const newSelftestName = toTemporaryName;

type Folders = {
  readonly dataFolder: string;
  readonly objects: { readonly kind: 's3' } | { readonly kind: 'disk'; readonly folder: string };
};

/** Two folders, because objects on disk may have a file system of their own. */
export const listSelftestFolders = ({ dataFolder, objects }: Folders): string[] =>
  [dataFolder, ...(objects.kind === 'disk' ? [objects.folder] : [])].map(folder => join(folder, areaName));

type Area = {
  readonly folders: readonly string[];
  /** Null if objects are files in the folders. */
  readonly bucket: Pick<ObjectStore, 'list' | 'delete'> | null;
  readonly now: number;
};

/** Longer than any run. */
const oldMs = 3_600_000;

/** Deletes leftovers of ended runs, also on other machines, and returns their number. */
export async function sweepSelftests({ folders, bucket, now }: Area): Promise<number> {
  const isLeft = (name: string, changedMs: number): boolean => isFromDeadProcess(name) || changedMs < now - oldMs;
  let removed = 0;
  for (const folder of folders) removed += await sweepFolder(folder, isLeft);
  if (bucket === null) return removed;
  for await (const { key, modifiedAt } of bucket.list(selftestArea)) {
    const [, name = ''] = key.split('/');
    if (!isLeft(name, modifiedAt.getTime())) continue;
    await bucket.delete(key);
    removed += 1;
  }
  return removed;
}

async function sweepFolder(folder: string, isLeft: (name: string, changedMs: number) => boolean): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(noneIfMissing)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null); // deleted by another sweep
    if (stats === null || !isLeft(name, stats.mtimeMs)) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  await removeIfEmpty(folder);
  return removed;
}

const noneIfMissing = (error: unknown): string[] => {
  if (errnoOf(error) === 'ENOENT') return [];
  throw error;
};

/** Deletes everything that this run has created. */
export async function removeSelftest(name: string, { folders, bucket }: Omit<Area, 'now'>): Promise<void> {
  for (const folder of folders) {
    await rm(join(folder, name), { recursive: true, force: true });
    await removeIfEmpty(folder);
  }
  if (bucket !== null) for await (const { key } of bucket.list(`${selftestArea}${name}/`)) await bucket.delete(key);
}

/** Fails if another run uses the folder, which is fine. */
const removeIfEmpty = (folder: string): Promise<void> => rmdir(folder).catch(() => undefined);
