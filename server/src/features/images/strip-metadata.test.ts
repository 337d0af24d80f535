// Removal of metadata from pictures: kept orientation, truncated and altered input, rejected formats.
import { expect, test } from 'vitest';
import * as pictures from '../../../../test/support/pictures.ts';
import { InvalidImage } from './byte-reader.ts';
import { toPicture } from './strip-metadata.ts';

const { gif, jpeg, png, webp } = pictures;

test('a picture without metadata is not modified', () => {
  for (const [bytes, type] of [
    [png, 'png'],
    [jpeg, 'jpeg'],
    [gif, 'gif'],
    [webp, 'webp'],
  ] as const) {
    const picture = toPicture(bytes);
    expect(picture.type).toBe(`image/${type}`);
    expect(picture.bytes.equals(bytes), type).toBe(true);
  }
});

test('texts, EXIF, XMP, private chunks and trailing bytes are removed, and the rest is kept', () => {
  const cases = [
    [pictures.talkativePng, png],
    [pictures.talkativeJpeg(1), jpeg],
    [pictures.talkativeGif, gif],
    [pictures.talkativeWebp, pictures.extendedWebp(0)],
  ] as const;
  for (const [talkative, bare] of cases) {
    expect(talkative.includes(pictures.secret)).toBe(true);
    expect(toPicture(talkative).bytes.equals(bare)).toBe(true);
  }
});

test('the orientation of a photo is kept', () => {
  const { bytes } = toPicture(pictures.talkativeJpeg(6));
  expect(bytes.includes('SECRET')).toBe(false);
  const at = bytes.indexOf('Exif\0\0MM');
  expect(at).toBe(6);
  expect(bytes.readUInt16BE(at + 6 + 10 + 8), 'the value of its only tag').toBe(6);
  expect(toPicture(bytes).bytes.equals(bytes), 'cleaning twice changes nothing').toBe(true);
});

test('a picture truncated at any length is rejected without a crash', () => {
  for (const bytes of [png, jpeg, gif, webp, pictures.talkativeJpeg(3), pictures.extendedWebp(0)]) {
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length);
      let rejection: unknown;
      try {
        toPicture(cut);
      } catch (error) {
        rejection = error;
      }
      if (rejection !== undefined)
        expect([InvalidImage, RangeError].some(kind => rejection instanceof kind)).toBe(true);
      else expect(bytes.includes(pictures.secret), `${length} of ${bytes.length}`).toBe(true); // only what hung behind it
    }
  }
});

test('a picture with any altered byte is either rejected or still a picture', () => {
  for (const bytes of [png, jpeg, gif, webp]) {
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(at) ^ 0xff, at);
      try {
        expect(toPicture(altered).bytes.length).toBeGreaterThan(0);
      } catch (error) {
        expect(
          [InvalidImage, RangeError].some(kind => error instanceof kind),
          String(error),
        ).toBe(true);
      }
    }
  }
});

test('SVG, other formats and oversized dimensions are rejected', () => {
  const huge = Buffer.from(png);
  huge.writeUInt32BE(100_000, 16);
  huge.writeUInt32BE(100_000, 20);
  for (const bytes of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    Buffer.from('%PDF-1.7'),
    Buffer.alloc(0),
    huge,
  ]) {
    expect(() => toPicture(bytes)).toThrow(InvalidImage);
  }
});
