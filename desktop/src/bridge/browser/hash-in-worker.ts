// Digests from a worker, so that the page stays responsive. Without the worker (the app was updated after this page had
// loaded) the page computes them itself.
import { once } from '@recordproof/shared/once.ts';
import { digestBlob } from './digest.ts';
import type { HashAnswer, HashTask } from './hash-worker.ts';
import { openWorker } from './workers.ts';

type Hashing = {
  readonly blob: Blob;
  readonly resolve: (digest: string | Promise<string>) => void;
  readonly reject: (failure: unknown) => void;
};

const openHashing = once(async () => {
  const worker = openWorker('hash-worker');
  const running = new Map<number, Hashing>();
  let last = 0;
  let isLost = false;
  worker.onmessage = ({ data: { id, digest, failure } }: MessageEvent<HashAnswer>) => {
    const hashing = running.get(id);
    running.delete(id);
    if (digest === undefined) hashing?.reject(failure);
    else hashing?.resolve(digest);
  };
  worker.onerror = () => {
    isLost = true;
    for (const { blob, resolve } of running.values()) resolve(digestBlob(blob));
    running.clear();
  };
  return (blob: Blob): Promise<string> => {
    if (isLost) return digestBlob(blob);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    last += 1;
    running.set(last, { blob, resolve, reject });
    worker.postMessage({ id: last, blob } satisfies HashTask);
    return promise;
  };
});

export async function digestInWorker(blob: Blob, signal?: AbortSignal): Promise<string> {
  const hash = await openHashing();
  const digest = await hash(blob);
  signal?.throwIfAborted();
  return digest;
}
