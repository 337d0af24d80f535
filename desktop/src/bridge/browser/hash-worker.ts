// Worker that computes digests of files and of parts of them.
import { digestBlob } from './digest.ts';

export type HashTask = { readonly id: number; readonly blob: Blob };
export type HashAnswer = { readonly id: number; readonly digest?: string; readonly failure?: unknown };

const answer = (message: HashAnswer): void => globalThis.postMessage(message);

globalThis.onmessage = ({ data: { id, blob } }: MessageEvent<HashTask>) => {
  digestBlob(blob).then(
    digest => answer({ id, digest }),
    failure => answer({ id, failure }),
  );
};
