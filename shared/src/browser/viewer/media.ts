// Audio and video in the viewer: the element fetches ranges from a URL that expires, and then continues at the same
// position from a new one.
import { mediaTypeOf } from '../../preview-kinds.ts';
import { captureImage, toFrameTime } from '../capture-image.ts';
import { element } from '../elements.ts';
import { NotShown, type Showing, type Shown, type ViewedFile } from './viewed-file.ts';

/** Rejects with NotShown where the browser cannot play the file. */
export async function showMedia(kind: 'audio' | 'video', file: ViewedFile, showing: Showing): Promise<Shown> {
  const { texts, signal, toSize } = showing;
  const media = element(kind, { controls: '', preload: 'metadata', playsinline: '', 'aria-label': file.name });
  if (media.canPlayType(mediaTypeOf(file.contentType)) === '') throw new NotShown(texts.cannotPlay);
  let about: string | undefined;
  const closings: (() => void)[] = [];
  const close = () => {
    media.pause();
    media.removeAttribute('src');
    media.load();
    for (const end of closings) end();
  };
  const play = async () => {
    const one = await file.openMedia(signal);
    if ('limit' in one) throw new NotShown(texts.tooLarge(toSize(one.limit)));
    if (one.close) closings.push(one.close);
    about = one.isCompared ? undefined : texts.playing;
    media.src = one.url;
    await untilKnown(media);
  };
  try {
    await play();
  } catch (error) {
    close();
    signal.throwIfAborted();
    throw error instanceof Unplayable ? new NotShown(texts.cannotPlay) : error;
  }
  media.addEventListener('error', () => void goOn(media, play));
  if (media instanceof HTMLVideoElement && file.onShown) reportFrame(media, file.onShown);
  const toggle = () => void (media.paused ? media.play().catch(() => undefined) : media.pause());
  return { node: media, about, toggle, close };
}

/** Called once, when the video has been played to a frame that can be its thumbnail. */
function reportFrame(video: HTMLVideoElement, onShown: NonNullable<ViewedFile['onShown']>): void {
  const capture = () => {
    if (video.videoWidth === 0 || video.currentTime < toFrameTime(video)) return;
    video.removeEventListener('timeupdate', capture);
    captureImage(video).then(onShown, () => undefined);
  };
  video.addEventListener('timeupdate', capture);
}

class Unplayable extends Error {}

function untilKnown(media: HTMLMediaElement): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  media.addEventListener('loadedmetadata', () => resolve(), { once: true });
  media.addEventListener('error', () => reject(new Unplayable()), { once: true });
  return promise;
}

const mostAddresses = 3;

/** The address has expired, or the connection broke. Fails if nothing has been played since the last attempt. */
async function goOn(media: HTMLMediaElement, play: () => Promise<void>): Promise<void> {
  const tries = Number(media.dataset.tries ?? 0) + 1;
  if (tries > mostAddresses || media.dataset.stoppedAt === String(media.currentTime)) return;
  Object.assign(media.dataset, { tries, stoppedAt: media.currentTime });
  const { currentTime } = media;
  try {
    await play();
    media.currentTime = currentTime;
    await media.play();
  } catch {
    // the element shows that it has stopped
  }
}
