// Line reader: lines across block boundaries, and lines that are too long.
import { expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

const read = async (blocks: readonly string[], maxBytes = 10) => {
  const source = (async function* () {
    for (const block of blocks) yield Buffer.from(block);
  })();
  const lines = await Array.fromAsync(readLines(source, maxBytes));
  return lines.map(({ number, bytes }) => [number, bytes === null ? null : Buffer.from(bytes).toString()]);
};

test('lines are read whole, regardless of block boundaries', async () => {
  const lines = [
    [1, 'one'],
    [2, ''],
    [3, 'three'],
  ];
  expect(await read(['one\n\nthree'])).toEqual(lines);
  expect(await read([...'one\n\nthree\n'])).toEqual(lines);
  expect(await read([])).toEqual([]);
});

test('a line that is too long is reported by its number, and the next line is read', async () => {
  expect(await read(['0123456789\n', '01234', '567', '890\nnext\n'])).toEqual([
    [1, '0123456789'],
    [2, null],
    [3, 'next'],
  ]);
  expect(await read(['x'.repeat(11)])).toEqual([[1, null]]);
});
