// Contrast of text colours on their backgrounds in both themes, by the formula of WCAG 2.2.
import { expect, test } from 'vitest';
import { colours } from './tokens.ts';

type Name = keyof typeof colours;

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map(at => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const letters: readonly Name[] = ['text', 'quiet', 'accent', 'good', 'bad', 'open', 'broken'];
const grounds: readonly Name[] = ['ground', 'surface', 'raised'];
const pairs: readonly (readonly [Name, Name])[] = [
  ...letters.flatMap(letter => grounds.map(ground => [letter, ground] as const)),
  ['onAccent', 'accent'],
];

test('the contrast of black on white is 21', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
});

test.each(pairs)('%s has sufficient contrast on %s, in the light and the dark theme', (letter, ground) => {
  for (const theme of [0, 1] as const)
    expect(contrast(colours[letter][theme], colours[ground][theme])).toBeGreaterThanOrEqual(4.5);
});
