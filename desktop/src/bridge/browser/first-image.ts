// Preview image of a PDF or a video: its first page, or a frame of its first second. Loaded on first use.

import { captureImage, toFrameTime } from '@recordproof/shared/browser/capture-image.ts';
import { isTooLarge } from '@recordproof/shared/image-size.ts';
import { openPdf } from './workers.ts';

const maxMs = 15_000;

/** Rejects where there is no page to draw. */
export async function drawFirstPage(file: Blob): Promise<ImageBitmap> {
  const reader = openPdf(new Uint8Array(await file.arrayBuffer()));
  try {
    await reader.countPages();
    return await reader.draw(1);
  } finally {
    reader.close();
  }
}

/** Rejects where this browser cannot play the video. */
export async function drawFrame(file: Blob): Promise<ImageBitmap> {
  const video = document.createElement('video');
  const url = URL.createObjectURL(file);
  const next = openEvents(video, AbortSignal.timeout(maxMs));
  try {
    Object.assign(video, { muted: true, preload: 'auto', src: url });
    await next('loadeddata');
    if (isTooLarge({ width: video.videoWidth, height: video.videoHeight })) throw new Error('too many pixels');
    video.currentTime = toFrameTime(video);
    await next('seeked');
    return await captureImage(video);
  } finally {
    video.removeAttribute('src');
    video.load();
    URL.revokeObjectURL(url);
  }
}

const openEvents = (video: HTMLVideoElement, signal: AbortSignal) => (name: 'loadeddata' | 'seeked') =>
  new Promise<void>((resolve, reject) => {
    const options = { once: true, signal };
    video.addEventListener(name, () => resolve(), options);
    video.addEventListener('error', () => reject(new Error('the video cannot be played')), options);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
