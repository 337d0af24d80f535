// Small real pictures (6 by 4 pixels, drawn by a browser), and the same with hidden metadata.
import { crc32 } from 'node:zlib';

const join = (...lines: string[]): Buffer => Buffer.from(lines.join(''), 'base64');

// biome-ignore format: bytes
export const png = join(
  'iVBORw0KGgoAAAANSUhEUgAAAAYAAAAECAYAAACtBE5DAAAAOUlEQVR4AXSLwQ1AERQE578evnaoh3aoh3ZoYnEVDptNJjPW+dUI',
  'ykQlijxVjiH7AK2dbze4pWcxAQAA//8AUOp7AAAABklEQVQDAGuPFP1djh4lAAAAAElFTkSuQmCC',
);

// biome-ignore format: bytes
export const jpeg = join(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19i',
  'Z2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj',
  'Y2NjY2NjY2P/wAARCAAEAAYDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAWEAEBAQAAAAAAAAAAAAAAAAAABDL/',
  'xAAVAQEBAAAAAAAAAAAAAAAAAAADBv/EABgRAAMBAQAAAAAAAAAAAAAAAAACBDM0/9oADAMBAAIRAxEAPwCXq0AqYOdR7d2P/9k=',
);

// biome-ignore format: bytes
export const webp = join(
  'UklGRkgAAABXRUJQVlA4IDwAAADQAQCdASoGAAQAAsBMJagCdHIAqgAEgAD+8n/gj8y0h0Y52v/iY+PVX/9QZ/pj49VfPb/pcln4',
  'vxkAAAA=',
);

/** One pixel, two frames, looping for ever. */
export const gif = Buffer.from(
  [
    '474946383961 0100 0100 80 00 00 000000 ffffff',
    '21 ff 0b 4e45545343415045322e30 03 01 0000 00',
    '21 f9 04 00 0a00 00 00 2c 0000 0000 0100 0100 00 02 02 4401 00',
    '21 f9 04 00 0a00 00 00 2c 0000 0000 0100 0100 00 02 02 4c01 00',
    '3b',
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
);

export const secret = 'SECRET 48.2082 N 16.3738 E';

const insert = (bytes: Buffer, at: number, what: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

const afterHeader = 8 + 25;
const talk = Buffer.from(secret);

export const talkativePng = Buffer.concat([
  insert(png, afterHeader, Buffer.concat(['tEXt', 'iTXt', 'eXIf', 'tIME', 'prVt'].map(type => pngChunk(type, talk)))),
  talk,
]);

const segment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};

/** EXIF with an orientation and a description, little-endian. */
export function exif(orientation: number): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 24 + 4);
  tiff.write('II\x2a\0\x08\0\0\0\x02\0', 0, 'latin1');
  tiff.writeUInt16LE(0x010e, 10);
  tiff.writeUInt16LE(2, 12);
  tiff.writeUInt32LE(talk.length, 14);
  tiff.writeUInt32LE(tiff.length, 18);
  tiff.writeUInt16LE(0x0112, 22);
  tiff.writeUInt16LE(3, 24);
  tiff.writeUInt32LE(1, 26);
  tiff.writeUInt16LE(orientation, 30);
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, talk]);
}

export const talkativeJpeg = (orientation: number): Buffer =>
  Buffer.concat([
    insert(jpeg, 2, Buffer.concat([segment(0xe1, exif(orientation)), segment(0xfe, talk), segment(0xed, talk)])),
    talk,
  ]);

const gifBlocks = Buffer.concat([Buffer.from([talk.length]), talk, Buffer.from([0])]);

export const talkativeGif = Buffer.concat([
  insert(
    gif,
    19,
    Buffer.concat([
      Buffer.from([0x21, 0xfe]),
      gifBlocks,
      Buffer.from([0x21, 0xff, 11]),
      Buffer.from('XMP DataXMP'),
      gifBlocks,
    ]),
  ),
  talk,
]);

const riffChunk = (type: string, data: Buffer): Buffer => {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};

/** The extended form: a header with the given flags, the picture, and further chunks. */
export function extendedWebp(flags: number, ...more: Buffer[]): Buffer {
  const header = riffChunk('VP8X', Buffer.from([flags, 0, 0, 0, 5, 0, 0, 3, 0, 0]));
  const body = Buffer.concat([Buffer.from('WEBP'), header, webp.subarray(12), ...more]);
  return riffChunk('RIFF', body);
}

export const talkativeWebp = Buffer.concat([
  extendedWebp(0x0c, riffChunk('EXIF', talk), riffChunk('XMP ', talk), riffChunk('none', talk)),
  talk,
]);
