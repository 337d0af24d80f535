// Bounded reads of files of unknown origin: regular files only, up to a size limit; never blocks on a pipe or reads a
// device.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The file cannot be read within the limits; the message is the end of a sentence that begins with the path. */
export class FileReadError extends Error {}

/** Flags that open a file without waiting for a pipe's writer. The caller checks the type of the opened file. */
export const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await open(path, readWithoutWaiting);
  const stats = await file.stat();
  if (!stats.isFile()) throw new FileReadError('is not a regular file');
  if (stats.size > maxBytes) throw new FileReadError(`exceeds the limit of ${maxBytes} bytes`);
  const bytes = Buffer.alloc(stats.size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
