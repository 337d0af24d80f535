// Thumbnail-sized captures of a video frame or a canvas.
import { thumbnailSide } from '../preview-kinds.ts';

/** Not the first frame: it is often black. */
export const toFrameTime = ({ duration }: HTMLVideoElement): number =>
  Number.isFinite(duration) ? Math.min(1, duration / 2) : 0;

/** Rejects before the first frame of a video is decoded. */
export function captureImage(source: HTMLVideoElement | HTMLCanvasElement): Promise<ImageBitmap> {
  const isVideo = source instanceof HTMLVideoElement;
  const [width, height] = isVideo ? [source.videoWidth, source.videoHeight] : [source.width, source.height];
  const scale = Math.min(1, thumbnailSide / Math.max(width, height));
  const resize = (length: number) => Math.max(1, Math.round(length * scale));
  return createImageBitmap(source, {
    resizeWidth: resize(width),
    resizeHeight: resize(height),
    resizeQuality: 'high',
  });
}
