// Imprints of chunks: independence of block sizes, sensitivity to changes, and keys.
import { expect, test } from 'vitest';
import { pattern } from '../../../../test/support/bytes.ts';
import { type Imprint, ImprintCheck, Imprinter } from './imprint.ts';

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function takeImprint(bytes: Uint8Array, size: number): Promise<Imprint> {
  const imprinter = new Imprinter();
  for await (const _block of imprinter.pass(cut(bytes, size)));
  return imprinter.finish();
}

async function isSame(imprint: Imprint, bytes: Uint8Array, size: number): Promise<boolean> {
  const check = new ImprintCheck(imprint);
  for await (const block of cut(bytes, size)) check.update(block);
  return check.isSame();
}

test('equal bytes have the same imprint, regardless of block sizes', async () => {
  const bytes = await pattern(300_001, 1);
  const imprint = await takeImprint(bytes, 65_536);
  for (const size of [1000, 4096, 65_536, 300_001]) expect(await isSame(imprint, bytes, size)).toBe(true);
});

test('a flipped bit, a missing byte and an extra byte change the imprint', async () => {
  const bytes = await pattern(100_000, 2);
  const imprint = await takeImprint(bytes, 4096);
  for (const position of [0, 1, 15, 16, 50_000, 65_535, 65_536, 99_999]) {
    const flipped = Uint8Array.from(bytes);
    flipped[position] = (flipped[position] ?? 0) ^ 1;
    expect(await isSame(imprint, flipped, 65_536)).toBe(false);
  }
  expect(await isSame(imprint, bytes.subarray(0, -1), 65_536)).toBe(false);
  expect(await isSame(imprint, Buffer.concat([bytes, Buffer.alloc(1)]), 65_536)).toBe(false);
});

test('each imprint has its own key', async () => {
  const bytes = await pattern(1000, 3);
  const [first, second] = [await takeImprint(bytes, 1000), await takeImprint(bytes, 1000)];
  expect(first.tag).not.toEqual(second.tag);
  expect(await isSame({ key: first.key, tag: second.tag }, bytes, 1000)).toBe(false);
});
