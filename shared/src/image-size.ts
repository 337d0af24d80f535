// Width and height of an image, from the first bytes of its file: known before anything decodes it, because a small file can
// claim more pixels than memory holds. Pure; the bytes may be hostile.

type ImageSize = { readonly width: number; readonly height: number };

/** Decoding needs four bytes for each. */
const maxImagePixels = 50_000_000;
/** Bytes from the beginning that hold the size of nearly every image. */
export const imageHeadBytes = 512 * 1024;

const textAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

type Format = {
  /** What the bytes begin with; a dot stands for any byte. */
  readonly magic: string;
  readonly read: (view: DataView, bytes: Uint8Array) => ImageSize | null;
};

const formats: readonly Format[] = [
  { magic: '\x89PNG\r\n\x1a\n....IHDR', read: view => toSize(view.getUint32(16), view.getUint32(20)) },
  { magic: '\xff\xd8\xff', read: view => readJpeg(view) },
  { magic: 'GIF8.a', read: view => toSize(view.getUint16(6, true), view.getUint16(8, true)) },
  { magic: 'RIFF....WEBP', read: readWebp },
  { magic: 'BM', read: view => toSize(view.getInt32(18, true), Math.abs(view.getInt32(22, true))) },
  { magic: '....ftypavi', read: readAvif },
];

const toSize = (width: number, height: number): ImageSize | null =>
  width > 0 && height > 0 ? { width, height } : null;

/** Null where the bytes are no image of a known format, or end too early. */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  const head = textAt(bytes, 0, 16);
  const isOf = ({ magic }: Format) =>
    head.length >= magic.length && [...magic].every((character, at) => character === '.' || character === head[at]);
  try {
    return formats.find(isOf)?.read(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), bytes) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function readJpeg(view: DataView): ImageSize | null {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return toSize(view.getUint16(at + 7), view.getUint16(at + 5));
    else if (marker === 0xda || marker === 0xd9) return null;
    else at += 2 + view.getUint16(at + 2);
  }
}

function readWebp(view: DataView, bytes: Uint8Array): ImageSize | null {
  const kind = textAt(bytes, 12, 4);
  const threeBytes = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  if (kind === 'VP8X') return toSize(threeBytes(24) + 1, threeBytes(27) + 1);
  if (kind === 'VP8 ') return toSize(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (kind !== 'VP8L') return null;
  const bits = view.getUint32(21, true);
  return toSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

/** The largest of the sizes that its properties name: tiles of one image have their own. */
function readAvif(view: DataView, bytes: Uint8Array): ImageSize | null {
  let largest: ImageSize | null = null;
  for (let at = bytes.indexOf(0x69); at >= 0 && at + 16 <= bytes.length; at = bytes.indexOf(0x69, at + 1)) {
    if (textAt(bytes, at, 4) !== 'ispe') continue;
    const size = toSize(view.getUint32(at + 8), view.getUint32(at + 12));
    if (size && size.width * size.height > (largest ? largest.width * largest.height : 0)) largest = size;
  }
  return largest;
}

export const isTooLarge = ({ width, height }: ImageSize): boolean => width * height > maxImagePixels;
