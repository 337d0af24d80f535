// The logo of the product, as a drawing and as the shapes that it is made of.
import { colours } from './tokens.ts';

const [blue] = colours.accent;

type Point = readonly [x: number, y: number];
const page: readonly Point[] = [
  [9, 8],
  [19, 8],
  [23, 12],
  [23, 24],
  [9, 24],
];
const check: readonly Point[] = [
  [12, 17.5],
  [15, 20.5],
  [20, 14.5],
];

/** On a square of `side`: a blue ground with round corners, a white convex page on it, and a blue line with round ends on that. */
export const iconShapes = { blue, side: 32, corner: 7, page, check, lineWidth: 2.4 } as const;

const { side, corner, lineWidth } = iconShapes;

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" width="28" height="28" aria-hidden="true"><rect width="${side}" height="${side}" rx="${corner}" fill="${blue}"/><path d="M${page.join('L')}z" fill="#fff"/><path d="M${check.join('L')}" fill="none" stroke="${blue}" stroke-width="${lineWidth}" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
