// Sink of a download in a browser: blobs, which the browser moves to its disk when they get many. The person gets the file
// only when all of it is verified.
import type { Sink } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { openHash } from './digest.ts';
import { digestInWorker } from './hash-in-worker.ts';

const blockBytes = 4 * 1024 * 1024;

/** Received bytes of a download; they outlive a paused run. */
export type Pieces = { blob: Blob };

/** The disk of the browser was full when it moved a blob there: it can no longer be read. */
function rejectLost(error: unknown): never {
  if (!(error instanceof DOMException) || error.name === 'AbortError') throw error;
  const full = 'the browser has no room for this download: free disk space or use the desktop app';
  throw new TransferError('no-room', full, error);
}

export function openSink(pieces: Pieces, save: (whole: Blob) => void): Sink {
  let fresh: BlobPart[] = [];
  let freshBytes = 0;
  const merge = (): Blob => {
    if (fresh.length > 0) pieces.blob = new Blob([pieces.blob, ...fresh]);
    fresh = [];
    freshBytes = 0;
    return pieces.blob;
  };
  return {
    leftover: pieces.blob.size,
    get size() {
      return pieces.blob.size + freshBytes;
    },
    async write(block) {
      fresh.push(new Uint8Array(block));
      freshBytes += block.length;
      if (freshBytes >= blockBytes) merge();
    },
    async flush() {
      merge();
    },
    async truncate(size) {
      pieces.blob = merge().slice(0, size);
    },
    digest: (start, end, signal) => digestInWorker(merge().slice(start, end), signal).catch(rejectLost),
    openDigest() {
      const hash = openHash();
      let done = 0;
      return {
        async extend(end) {
          for (; done < end; done = Math.min(end, done + blockBytes)) {
            const slice = merge().slice(done, Math.min(end, done + blockBytes));
            hash.update(new Uint8Array(await slice.arrayBuffer().catch(rejectLost)));
          }
        },
        finish: async () => hash.finish(),
      };
    },
    async commit() {
      save(merge());
    },
    async discard() {
      pieces.blob = new Blob();
      fresh = [];
      freshBytes = 0;
    },
    async [Symbol.asyncDispose]() {
      merge();
    },
  };
}
