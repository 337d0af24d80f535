// Thumbnail maker: one worker, terminated with the maker, and replaced when an image takes too long. For a PDF or a
// video, the page supplies an image.
import { viewOf } from '@recordproof/shared/preview-kinds.ts';
import type { Maker } from '../thumbnails.ts';
import type { ThumbnailAnswer, ThumbnailTask } from './thumbnail-worker.ts';
import { openWorker } from './workers.ts';

const maxMs = 15_000;

/** What the worker draws. */
async function toImage(source: Blob | ImageBitmap): Promise<Blob | ImageBitmap> {
  if (source instanceof ImageBitmap) return source;
  const { kind } = viewOf({ contentType: source.type, fileSize: source.size });
  if (kind !== 'pdf' && kind !== 'video') return source;
  const { drawFirstPage, drawFrame } = await import('./first-image.ts');
  return kind === 'pdf' ? drawFirstPage(source) : drawFrame(source);
}

export function openThumbnailMaker(): Maker {
  let worker: Worker | undefined;
  let last = 0;

  function end(): void {
    worker?.terminate();
    worker = undefined;
  }

  return {
    async make(source) {
      const image = await toImage(source).catch(() => null);
      if (image === null) return null;
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
      worker.postMessage({ id, image } satisfies ThumbnailTask, image instanceof ImageBitmap ? [image] : []);
      return promise.finally(() => clearTimeout(tooLong));
    },
    [Symbol.dispose]: end,
  };
}
