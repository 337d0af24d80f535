// Maker of thumbnails: one worker, ended with the maker, and replaced when an image takes too long.
import type { Maker } from '../thumbnails.ts';
import type { ThumbnailAnswer, ThumbnailTask } from './thumbnail-worker.ts';
import { openWorker } from './workers.ts';

const maxMs = 15_000;

export function openThumbnailMaker(): Maker {
  let worker: Worker | undefined;
  let last = 0;

  function end(): void {
    worker?.terminate();
    worker = undefined;
  }

  return {
    async make(image) {
      last += 1;
      const id = last;
      worker ??= openWorker('thumbnail-worker');
      const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer> | null>();
      const giveUp = () => {
        end();
        resolve(null);
      };
      const tooLong = setTimeout(giveUp, maxMs);
      worker.onerror = giveUp;
      worker.onmessage = ({ data }: MessageEvent<ThumbnailAnswer>) => data.id === id && resolve(data.bytes);
      worker.postMessage({ id, image } satisfies ThumbnailTask);
      return promise.finally(() => clearTimeout(tooLong));
    },
    [Symbol.dispose]: end,
  };
}
