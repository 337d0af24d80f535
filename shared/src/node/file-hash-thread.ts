// Runs in a worker thread: SHA-256 of whole files by their names. Opens, reads and closes by itself, without waiting and
// without new buffers, because for small files that is what costs.
import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from './threads.ts';

/** `gone` was there when the folder was read; `other` is no file any more. */
export type FileProblem = 'changed' | 'gone' | 'other' | 'unreadable';
export type FileOutcome = { readonly size: number; readonly sha256: string } | { readonly problem: FileProblem };

export type HashFilesTask = { readonly places: readonly string[] };

const block = Buffer.allocUnsafeSlow(1024 * 1024);
/** After so many bytes the rest of a task goes back, for another thread to take some of it. */
const enoughBytes = 32 * 1024 * 1024;

// A link that took the place of a file since is not followed, and a pipe does not keep us waiting.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Of the first of them: at least one, and until there was enough to do. */
function hashFiles(places: readonly string[]): FileOutcome[] {
  const outcomes: FileOutcome[] = [];
  let bytes = 0;
  for (const place of places) {
    const outcome = hashFile(place);
    outcomes.push(outcome);
    bytes += 'size' in outcome ? outcome.size : 0;
    if (bytes >= enoughBytes) break;
  }
  return outcomes;
}

function hashFile(place: string): FileOutcome {
  try {
    const fd = openSync(place, flags);
    try {
      return hashOpen(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { problem: toProblem(error) };
  }
}

const problems: Readonly<Record<string, FileProblem>> = { ENOENT: 'gone', ENOTDIR: 'gone', ELOOP: 'other' };

const toProblem = (error: unknown): FileProblem =>
  problems[(error as NodeJS.ErrnoException).code ?? ''] ?? 'unreadable';

function hashOpen(fd: number): FileOutcome {
  const before = fstatSync(fd, { bigint: true });
  if (!before.isFile()) return { problem: 'other' };
  const size = Number(before.size);
  const digest = size < block.length ? hashSmall(fd, size) : hashLarge(fd, size);
  const after = fstatSync(fd, { bigint: true });
  if (digest === undefined || after.mtimeNs !== before.mtimeNs || after.size !== before.size)
    return { problem: 'changed' };
  return { size, sha256: `sha256:${digest}` };
}

/** Undefined when there is more or less to read than its size says. */
function hashSmall(fd: number, size: number): string | undefined {
  const read = readSync(fd, block, 0, block.length, 0);
  return read === size ? hash('sha256', block.subarray(0, read)) : undefined;
}

function hashLarge(fd: number, size: number): string | undefined {
  const whole = createHash('sha256');
  let position = 0;
  for (;;) {
    const read = readSync(fd, block, 0, block.length, position);
    position += read;
    if (position > size) return undefined;
    if (read === 0) return position === size ? whole.digest('hex') : undefined;
    whole.update(block.subarray(0, read));
  }
}

parentPort?.on('message', ({ id, places }: HashFilesTask & Question) => {
  const answer: Answer<FileOutcome[]> = { id, answer: hashFiles(places) };
  parentPort?.postMessage(answer);
});
