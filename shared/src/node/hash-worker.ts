// The worker thread for SHA-256 over ranges of open files. It reads in large blocks itself, so that neither bytes nor
// waiting reach the main thread.
import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { answerQuestions } from './threads.ts';

export type HashTask =
  | { readonly kind: 'extend'; readonly digest: number; readonly fd: number; readonly start: number; readonly end: number } // biome-ignore format: one line per kind
  | { readonly kind: 'finish'; readonly digest: number }
  | { readonly kind: 'drop'; readonly digest: number };

const block = Buffer.allocUnsafeSlow(1024 * 1024);
const digests = new Map<number, Hash>();

function extend(hash: Hash, fd: number, start: number, end: number): void {
  for (let position = start; position < end; ) {
    const read = readSync(fd, block, 0, Math.min(block.length, end - position), position);
    if (read === 0) throw new Error(`the file was cut to ${position} bytes while it was read: try again`);
    hash.update(block.subarray(0, read));
    position += read;
  }
}

function perform(task: HashTask): string | undefined {
  const hash = digests.get(task.digest) ?? createHash('sha256');
  switch (task.kind) {
    case 'extend':
      digests.set(task.digest, hash);
      extend(hash, task.fd, task.start, task.end);
      return undefined;
    case 'finish':
      digests.delete(task.digest);
      return hash.digest('hex');
    case 'drop':
      digests.delete(task.digest);
      return undefined;
  }
}

answerQuestions<HashTask, string | undefined>({ perform });
