// SVG path of a QR code, painted and compared with the modules of its encoder.
import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { toQrPath } from './qr-code.tsx';

/** The squares that a path of ours darkens. */
function paint(path: string, size: number): boolean[][] {
  const squares = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
    squares[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  return squares;
}

test('the path fills the dark modules of the code, with a margin of four modules', () => {
  const link = 'https://files.example.org/s/7gK2mQ9xTb4R';
  const { size, path } = toQrPath(link);
  const painted = paint(path, size);
  expect(painted.slice(4, -4).map(row => row.slice(4, -4))).toEqual(encode(link, { ecc: 'M', border: 0 }).data);
  const edge = [0, 1, 2, 3, size - 4, size - 3, size - 2, size - 1];
  expect(edge.flatMap(at => [...(painted[at] ?? []), ...painted.map(row => row[at])]).includes(true)).toBe(false);
});
