// Runs in a worker thread: SHA-256 over ranges of open files. Reads by itself in large blocks, so that neither bytes
// nor waiting reach the main thread.
import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

export type HashTask =
  | { readonly kind: 'extend'; readonly id: number; readonly digest: number; readonly fd: number; readonly start: number; readonly end: number } // biome-ignore format: one line per kind
  | { readonly kind: 'finish'; readonly id: number; readonly digest: number }
  | { readonly kind: 'drop'; readonly id: number; readonly digest: number };

export type HashReply = { readonly id: number; readonly hex?: string; readonly failure?: string };

const block = Buffer.allocUnsafeSlow(1024 * 1024);
const digests = new Map<number, Hash>();

function extend(hash: Hash, fd: number, start: number, end: number): void {
  for (let position = start; position < end; ) {
    const read = readSync(fd, block, 0, Math.min(block.length, end - position), position);
    if (read === 0) throw new Error('the file has become shorter');
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

function reply(task: HashTask): HashReply {
  try {
    const hex = perform(task);
    return hex === undefined ? { id: task.id } : { id: task.id, hex };
  } catch (error) {
    return { id: task.id, failure: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (task: HashTask) => parentPort?.postMessage(reply(task)));
