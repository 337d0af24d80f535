// Worker that makes thumbnails. The bytes may be hostile: their size in pixels is read before anything decodes them,
// and the output is drawn anew, without metadata.
import { maxThumbnailBytes } from '@recordproof/shared/api/previews.ts';
import { imageHeadBytes, isTooLarge, readImageSize } from '@recordproof/shared/image-size.ts';
import { thumbnailSide } from '@recordproof/shared/preview-kinds.ts';

export type ThumbnailTask = { readonly id: number; readonly image: Blob | ImageBitmap };
/** Null: it cannot be made. */
export type ThumbnailAnswer = { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> | null };

const maxSourceBytes = 64 * 1024 * 1024;
const types = ['image/webp', 'image/jpeg'] as const;
const qualities = [0.75, 0.5, 0.25];

async function decode(image: Blob): Promise<ImageBitmap | null> {
  const size = readImageSize(new Uint8Array(await image.slice(0, imageHeadBytes).arrayBuffer()));
  if (size === null || isTooLarge(size) || image.size > maxSourceBytes) return null;
  return createImageBitmap(image); // upright, by the orientation of the image
}

async function draw(image: Blob | ImageBitmap): Promise<OffscreenCanvas | null> {
  const bitmap = image instanceof Blob ? await decode(image) : image;
  if (bitmap === null) return null;
  const scale = Math.min(1, thumbnailSide / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map(length => Math.max(1, Math.round(length * scale)));
  const canvas = new OffscreenCanvas(width ?? 1, height ?? 1);
  const context = canvas.getContext('2d');
  if (!context) return null;
  Object.assign(context, { imageSmoothingQuality: 'high' });
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
}

/** The first form that is small enough. A browser that cannot write a type answers with PNG. */
async function make(image: Blob | ImageBitmap): Promise<Uint8Array<ArrayBuffer> | null> {
  const canvas = await draw(image);
  if (canvas === null) return null;
  for (const type of types)
    for (const quality of qualities) {
      const blob = await canvas.convertToBlob({ type, quality });
      if (blob.size <= maxThumbnailBytes) return new Uint8Array(await blob.arrayBuffer());
    }
  return null;
}

globalThis.addEventListener('message', ({ data: { id, image } }: MessageEvent<ThumbnailTask>) => {
  const answer = (bytes: ThumbnailAnswer['bytes']): void =>
    globalThis.postMessage({ id, bytes } satisfies ThumbnailAnswer);
  make(image).then(answer, () => answer(null));
});
