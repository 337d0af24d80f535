// Detection of an image's format by its bytes, and removal of its metadata. Rejects all other formats, including SVG.
import type { ImageType } from '@recordproof/shared/api/images.ts';
import { InvalidImage } from './byte-reader.ts';
import { stripGif } from './strip-gif.ts';
import { stripJpeg } from './strip-jpeg.ts';
import { stripPng } from './strip-png.ts';
import { stripWebp } from './strip-webp.ts';

export type Picture = { readonly type: ImageType; readonly ending: string; readonly bytes: Buffer };

type Format = {
  readonly type: ImageType;
  readonly ending: string;
  /** The magic bytes; a dot stands for any byte. */
  readonly magic: string;
  readonly strip: (bytes: Buffer) => Buffer;
};

const formats: readonly Format[] = [
  { type: 'image/png', ending: 'png', magic: '\x89PNG\r\n\x1a\n', strip: stripPng },
  { type: 'image/jpeg', ending: 'jpg', magic: '\xff\xd8\xff', strip: stripJpeg },
  { type: 'image/gif', ending: 'gif', magic: 'GIF87a', strip: stripGif },
  { type: 'image/gif', ending: 'gif', magic: 'GIF89a', strip: stripGif },
  { type: 'image/webp', ending: 'webp', magic: 'RIFF....WEBP', strip: stripWebp },
];

const begins = (head: string, magic: string): boolean =>
  head.length >= magic.length && [...magic].every((character, at) => character === '.' || character === head[at]);

/** Throws InvalidImage, with a reason that follows "this picture cannot be taken:". */
export function toPicture(bytes: Buffer): Picture {
  const head = bytes.toString('latin1', 0, 16);
  const format = formats.find(({ magic }) => begins(head, magic));
  if (!format) throw new InvalidImage('it is neither PNG nor JPEG, WebP or GIF');
  return { type: format.type, ending: format.ending, bytes: format.strip(bytes) };
}
