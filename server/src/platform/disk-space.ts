// Free space of a file system, and when it is low.
import { statfs } from 'node:fs/promises';

type DiskSpace = { readonly freeBytes: number; readonly totalBytes: number };

export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

const lowShare = 0.1;

/** `full`: uploads are rejected, or soon will be. */
export function classifyDiskSpace({ freeBytes, totalBytes }: DiskSpace, reserveBytes: number): 'ok' | 'low' | 'full' {
  if (freeBytes < 2 * reserveBytes) return 'full';
  return totalBytes > 0 && freeBytes / totalBytes < lowShare ? 'low' : 'ok';
}
