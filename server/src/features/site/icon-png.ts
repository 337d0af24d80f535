// The logo as PNG, for systems that show no SVG icons of installed apps. It is drawn on request: each pixel by its distance from
// the edges of the shapes.
import { crc32, deflateSync } from 'node:zlib';
import { iconShapes } from '@recordproof/shared/theme/icon.ts';

type Point = readonly [x: number, y: number];
/** Without round corners where the system cuts the icon to a shape of its own. */
type Drawing = { readonly size: number; readonly isSquare: boolean };

const { blue, side, corner, page, check, lineWidth } = iconShapes;
const blueBytes = [1, 3, 5].map(at => Number.parseInt(blue.slice(at, at + 2), 16));

const cut = (value: number): number => Math.max(0, Math.min(1, value));

const edgesOf = (points: readonly Point[]): [Point, Point][] =>
  points.flatMap((point, at): [Point, Point][] => {
    const next = points[at + 1];
    return next ? [[point, next]] : [];
  });

/** Below zero inside. */
function toGround([x, y]: Point): number {
  const inner = side / 2 - corner;
  const [across, down] = [Math.abs(x - side / 2) - inner, Math.abs(y - side / 2) - inner];
  return Math.hypot(Math.max(across, 0), Math.max(down, 0)) + Math.min(Math.max(across, down), 0) - corner;
}

const pageEdges = edgesOf([...page, ...page.slice(0, 1)]);

/** Below zero inside: the points of a convex shape go round clockwise. */
const toPage = ([x, y]: Point): number =>
  Math.max(
    ...pageEdges.map(([[x1, y1], [x2, y2]]) => {
      return ((y2 - y1) * (x - x1) - (x2 - x1) * (y - y1)) / Math.hypot(x2 - x1, y2 - y1);
    }),
  );

const checkEdges = edgesOf(check);

const toLine = ([x, y]: Point): number =>
  Math.min(
    ...checkEdges.map(([[x1, y1], [x2, y2]]) => {
      const [across, down] = [x2 - x1, y2 - y1];
      const along = cut(((x - x1) * across + (y - y1) * down) / (across ** 2 + down ** 2));
      return Math.hypot(x - x1 - along * across, y - y1 - along * down);
    }),
  ) -
  lineWidth / 2;

/** Rows of RGBA, each after the byte 0 that says: unfiltered. */
function draw({ size, isSquare }: Drawing): Buffer {
  const scale = size / side;
  const cover = (distance: number): number => cut(0.5 - distance * scale);
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1) {
      const point: Point = [(column + 0.5) / scale, (row + 0.5) / scale];
      const paper = cover(toPage(point));
      const white = paper === 0 ? 0 : paper * (1 - cover(toLine(point)));
      const at = row * (1 + size * 4) + 1 + column * 4;
      for (const [index, value] of blueBytes.entries()) rows[at + index] = Math.round(value + (255 - value) * white);
      rows[at + 3] = isSquare ? 255 : Math.round(255 * cover(toGround(point)));
    }
  return rows;
}

function toChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

export function drawIcon(drawing: Drawing): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]); // 8 bits, RGBA
  head.writeUInt32BE(drawing.size, 0);
  head.writeUInt32BE(drawing.size, 4);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    toChunk('IHDR', head),
    toChunk('IDAT', deflateSync(draw(drawing), { level: 9 })),
    toChunk('IEND', Buffer.alloc(0)),
  ]);
}
