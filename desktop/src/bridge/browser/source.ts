// Chosen file as a source of the transfer engine. The browser itself rejects reading a file that has changed.
import type { Source } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { digestInWorker } from './hash-in-worker.ts';

const blockBytes = 4 * 1024 * 1024;

const revisionOf = ({ size, lastModified }: File): string => `${size}-${lastModified}`;

export function toSource(file: File): Source {
  const changed = (cause: unknown): never => {
    throw new TransferError('source-changed', `${file.name} has changed, or can no longer be read`, cause);
  };
  const bytesOf = (start: number, end: number) => file.slice(start, end).arrayBuffer().catch(changed);
  return {
    path: file.name,
    name: file.name,
    size: file.size,
    revision: revisionOf(file),
    slice: (start, end) => file.slice(start, end),
    async *read(start, end) {
      for (let at = start; at < end; at += blockBytes)
        yield new Uint8Array(await bytesOf(at, Math.min(end, at + blockBytes)));
    },
    async digest(start, end, signal) {
      return digestInWorker(file.slice(start, end), signal).catch(error => {
        signal?.throwIfAborted();
        return changed(error);
      });
    },
    async assertUnchanged() {
      await bytesOf(0, 1);
    },
    async [Symbol.asyncDispose]() {},
  };
}
