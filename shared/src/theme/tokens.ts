// Design tokens of all user interfaces: colours for light and dark, spacing, fonts. Pages use them as CSS, programs
// with their own rendering use the values.

type Pair = readonly [light: string, dark: string];

export const colours = {
  /** Primary text. */
  text: ['#1b2430', '#e6eaf0'],
  /** Secondary text. */
  quiet: ['#566072', '#a3adbd'],
  /** The page background. */
  ground: ['#f6f7f9', '#10141a'],
  /** Cards, lists and fields, on the background. */
  surface: ['#ffffff', '#171d26'],
  /** Code, and hovered items. */
  raised: ['#eff2f6', '#202834'],
  line: ['#dce1e8', '#2f3947'],
  accent: ['#0b5c8a', '#74c0f0'],
  onAccent: ['#ffffff', '#0b1118'],
  good: ['#1b6b36', '#77cf92'],
  bad: ['#a3262a', '#ff9a94'],
  open: ['#7d4b00', '#f0b860'],
  broken: ['#5b4694', '#bcaaf2'],
} as const satisfies Record<string, Pair>;

const measures = {
  spaceTight: '0.5rem',
  space: '1rem',
  spaceWide: '2rem',
  corner: '0.5rem',
  cornerWide: '0.75rem',
  column: '46rem',
  textSmall: '0.875rem',
  textLarge: '1.125rem',
  letters: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif",
  codeLetters: "ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'Noto Sans Mono', monospace",
} as const;

const toProperty = (name: string, value: string): string =>
  `  --${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}: ${value};\n`;

export const tokens = `:root {
  color-scheme: light dark;
  scrollbar-color: var(--quiet) transparent;
${Object.entries(colours)
  .map(([name, [light, dark]]) => toProperty(name, `light-dark(${light}, ${dark})`))
  .join('')}${Object.entries(measures)
  .map(([name, value]) => toProperty(name, value))
  .join('')}}
`;
