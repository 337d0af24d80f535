// Image dimensions from the first bytes of PNG, JPEG, WebP, GIF, BMP and AVIF, with truncated and altered input.
import { expect, test } from 'vitest';
import { extendedWebp, gif, jpeg, png, webp } from '../../test/support/pictures.ts';
import { isTooLarge, readImageSize } from './image-size.ts';

const bmp = new Uint8Array(30);
bmp.set([0x42, 0x4d]);
bmp[18] = 7;
new DataView(bmp.buffer).setInt32(22, -9, true); // rows from the top

/** `ftyp`, and properties of two items: tiles of 16, an image of 64. */
const avif = Uint8Array.from(
  Buffer.concat([
    Buffer.from('\0\0\0\x18ftypavif\0\0\0\0avifmif1', 'latin1'),
    ...[16, 64].map(side =>
      Buffer.concat([Buffer.from('\0\0\0\x14ispe\0\0\0\0', 'latin1'), Buffer.from([0, 0, 0, side, 0, 0, 0, side])]),
    ),
  ]),
);

test.each([
  ['PNG', png, { width: 6, height: 4 }],
  ['JPEG', jpeg, { width: 6, height: 4 }],
  ['WebP', webp, { width: 6, height: 4 }],
  ['extended WebP', extendedWebp(0), { width: 6, height: 4 }],
  ['GIF', gif, { width: 1, height: 1 }],
  ['BMP', bmp, { width: 7, height: 9 }],
  ['AVIF', avif, { width: 64, height: 64 }],
])('the size of a %s is read from its first bytes, and no cut or altered one is an error', (_, bytes, size) => {
  expect(readImageSize(bytes)).toEqual(size);
  for (let length = 0; length < bytes.length; length += 1) {
    readImageSize(bytes.subarray(0, length));
    const altered = Uint8Array.from(bytes);
    altered[length] = ~(altered[length] ?? 0) & 0xff;
    readImageSize(altered);
  }
});

test('what is no image has no size, and a claim of too many pixels is seen', () => {
  for (const text of ['', '<svg xmlns="http://www.w3.org/2000/svg"/>', '<!doctype html>', '%PDF-1.7', 'BM'])
    expect(readImageSize(Buffer.from(text)), text).toBe(null);
  const huge = Buffer.from(png);
  huge.writeUInt32BE(100_000, 16);
  huge.writeUInt32BE(100_000, 20);
  expect(isTooLarge(readImageSize(huge) ?? { width: 0, height: 0 })).toBe(true);
});
