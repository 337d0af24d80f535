// Bounded reads of files of unknown origin: only regular files, up to a limit. A pipe does not block, and a device is not
// read.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** What lies there cannot be read within its limits; the message ends a sentence that begins with the path. */
export class FileRefused extends Error {}

/** Flags to open a file without waiting for the writer of a pipe. The caller checks what it has opened. */
export const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path, readWithoutWaiting);
  const stats = await file.stat();
  if (!stats.isFile()) throw new FileRefused('is not a regular file');
  if (stats.size > maxBytes) throw new FileRefused('is larger than any that is written');
  const bytes = Buffer.alloc(stats.size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
