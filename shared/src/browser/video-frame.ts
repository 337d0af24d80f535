// Frame of a video, as an image of the size of a thumbnail.
import { thumbnailSide } from '../preview-kinds.ts';

/** Not the first frame: it is often black. */
export const toFrameTime = ({ duration }: HTMLVideoElement): number =>
  Number.isFinite(duration) ? Math.min(1, duration / 2) : 0;

/** The current frame. Rejects before the first one is decoded. */
export function captureFrame(video: HTMLVideoElement): Promise<ImageBitmap> {
  const { videoWidth, videoHeight } = video;
  const scale = Math.min(1, thumbnailSide / Math.max(videoWidth, videoHeight));
  const resize = (length: number) => Math.max(1, Math.round(length * scale));
  return createImageBitmap(video, {
    resizeWidth: resize(videoWidth),
    resizeHeight: resize(videoHeight),
    resizeQuality: 'high',
  });
}
