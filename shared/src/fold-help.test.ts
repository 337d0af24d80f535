// Folding of help texts to the width of a terminal.
import { expect, test } from 'vitest';
import { foldHelp } from './fold-help.ts';

const help = `press: prints papers, black or red, for as long as there is paper and until it is told to stop

  queue list     what waits, the newest first, of everybody who may print here
  queue drop --id NUMBER  throw one away that waits
  --ink NAME     black, or red where
                 there is red ink
  --dry          prints nothing
  PRESS_INK      black      which ink is taken where none is named

Settings:
  PRESS_INK=red press --this-is-to-be-copied-and-stays-as-it-is
`;

test('what is too long goes on below its beginning, and nothing is wider than asked', () => {
  expect(foldHelp(help, 48)).toBe(`press: prints papers, black or red, for as long
as there is paper and until it is told to stop

  queue list     what waits, the newest first,
                 of everybody who may print here
  queue drop --id NUMBER
      throw one away that waits
  --ink NAME     black, or red where
                 there is red ink
  --dry          prints nothing
  PRESS_INK      black
      which ink is taken where none is named

Settings:
  PRESS_INK=red press --this-is-to-be-copied-and-stays-as-it-is
`);
});

test('no word is lost, however few columns there are', () => {
  const words = (text: string) => text.split(/\s+/).filter(Boolean);
  for (const columns of [1, 20, 40, 80, 120]) expect(words(foldHelp(help, columns))).toEqual(words(help));
});

test('where there is room, or no terminal, it stays as it was written', () => {
  expect(foldHelp(help, 120)).toBe(help);
  expect(foldHelp(help)).toBe(help);
});
