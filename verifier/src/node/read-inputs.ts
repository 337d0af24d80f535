// Reading of the files on the command line: small ones bounded and whole, the original as a stream.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { oneLine, type Terminal } from '../shell/terminal.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';
import { nodePlatform } from './node-platform.ts';
import { ParallelOriginal } from './parallel-original.ts';

const isAbsent = (path: string | undefined): path is string => path !== undefined && path !== '-' && !existsSync(path);

export const listAbsent = (paths: readonly (string | undefined)[]): string[] => paths.filter(isAbsent);

/** Prints the paths of missing files, which reports omit. */
export function describeAbsent(paths: readonly (string | undefined)[], stderr: Terminal['stderr']): void {
  for (const path of listAbsent(paths)) stderr.write(`There is no file ${oneLine(path)}\n`);
}

/** At most one byte more than `maxBytes`, enough for a parser to see that the file is too large. */
export async function readBounded(path: string, maxBytes: number): Promise<Uint8Array | Unreadable> {
  try {
    await using handle = await open(path, 'r');
    const parts: Uint8Array[] = [];
    for (let left = maxBytes + 1; left > 0; ) {
      const { bytesRead, buffer } = await handle.read(new Uint8Array(Math.min(left, 64 * 1024)));
      if (bytesRead === 0) break;
      parts.push(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return Buffer.concat(parts);
  } catch {
    return 'UNREADABLE';
  }
}

/** The name of a file for print, without characters that could hide, reverse or break the text. */
export const nameOf = (path: string): string => oneLine(basename(path));

type Original = { stream: AsyncIterable<Uint8Array>; platform: VerifierPlatform; size: number | undefined };

const worthASecondCore = 16 * 1024 * 1024;

/** Opens lazily: an unreadable file shows in the stream. `-` is standard input. */
export function openOriginal(path: string, stdin: AsyncIterable<Uint8Array>): Original {
  if (path === '-') return { stream: stdin, platform: nodePlatform, size: undefined };
  const size = sizeOf(path);
  if (size === undefined || size < worthASecondCore) return { stream: readLazily(path), platform: nodePlatform, size };
  const parallel = new ParallelOriginal(path);
  return { stream: parallel.stream(), platform: { ...nodePlatform, newWholeHash: () => parallel.newHash() }, size };
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}

// Opened with the first block, so that an original that is never read cannot raise an error.
export async function* readLazily(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: 256 * 1024 });
}

const progressBytes = 64 * 1024 * 1024;

/** A pass-through stream that shows the progress of reading a large file on a terminal. */
export async function* withProgress(
  stream: AsyncIterable<Uint8Array>,
  size: number | undefined,
  stderr: Terminal['stderr'],
): AsyncGenerator<Uint8Array> {
  let read = 0;
  let shown = 0;
  for await (const block of stream) {
    read += block.length;
    if (stderr.isTTY === true && read - shown >= progressBytes) {
      shown = read;
      stderr.write(
        `\rReading the original: ${size === undefined ? `${Math.floor(read / progressBytes) * 64} MiB` : `${Math.floor((100 * read) / size)} %`}  `,
      );
    }
    yield block;
  }
  if (shown > 0) stderr.write('\r\u001b[K');
}
