// Texts of a given width on a terminal: measured, cut, and folded into lines.
import { stripVTControlCharacters } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';

const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;

export function toWidth(text: string): number {
  let columns = 0;
  for (const character of text)
    columns += zeroWidth.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
  return columns;
}

/** As many of the characters as fit. */
function take(characters: Iterable<string>, columns: number): string[] {
  const kept: string[] = [];
  let left = columns;
  for (const character of characters) {
    left -= toWidth(character);
    if (left < 0) break;
    kept.push(character);
  }
  return kept;
}

const begin = (text: string, columns: number): string => take(text, columns).join('');
const end = (text: string, columns: number): string =>
  take([...text].reverse(), columns)
    .reverse()
    .join('');

/** The beginning, with a mark where something is missing. */
export const cutEnd = (text: string, columns: number): string =>
  toWidth(text) <= columns ? text : `${begin(text, columns - 1)}…`;

/** The end of a path is more significant than its beginning. */
export const cutBegin = (text: string, columns: number): string =>
  toWidth(text) <= columns ? text : `…${end(text, columns - 1)}`;

const cutMiddle = (text: string, columns: number): string => {
  if (toWidth(text) <= columns) return text;
  const behind = Math.floor((columns - 1) / 2);
  return `${begin(text, columns - 1 - behind)}…${end(text, behind)}`;
};

/** The number of leading characters that all of them share. */
function countAlike(texts: readonly (readonly string[])[]): number {
  const [first = []] = texts;
  const differs = first.findIndex((character, at) => texts.some(text => text[at] !== character));
  return differs === -1 ? first.length : differs;
}

/** A few characters of the beginning, and what follows from the word in which the texts begin to differ. */
function cutBeforeDifference(text: readonly string[], differsAt: number, columns: number): string {
  const head = Math.floor(columns / 4);
  const word = /\S*$/.exec(text.slice(0, differsAt).join(''))?.[0] ?? '';
  const from = differsAt - Math.min([...word].length, head);
  return `${begin(text.join(''), head)}…${cutEnd(text.slice(from).join(''), columns - head - 1)}`;
}

/** Cut in the middle; texts that would look equal are cut so that they differ. */
export function cutDistinctly(texts: readonly string[], columns: number): string[] {
  const cut = texts.map(text => cutMiddle(text, columns));
  const alike = Map.groupBy(new Set(texts), text => cutMiddle(text, columns));
  return texts.map((text, at) => {
    const shown = cut[at] ?? '';
    const group = alike.get(shown) ?? [];
    return group.length < 2 ? shown : shortenDistinctly(text, group, columns);
  });
}

function shortenDistinctly(text: string, among: readonly string[], columns: number): string {
  const differsAt = countAlike(among.map(each => [...each]));
  const cut = (each: string): string => cutBeforeDifference([...each], differsAt, columns);
  const still = among.filter(each => cut(each) === cut(text));
  return still.length < 2 || still.length === among.length ? cut(text) : shortenDistinctly(text, still, columns);
}

/** At most the given width, without a mark. */
export const clip = begin;

/** Parts that must stay in one piece to be copied: commands, and indented lines. */
const isToCopy = (line: string): boolean => /^\s|\brecordproof\S* |https?:/.test(line);

/**
 * Sentences in lines of whole words. Commands and addresses stay as they are: a terminal breaks them, and copies them
 * whole.
 */
export const fold = (text: string, columns: number): string =>
  text
    .split('\n')
    .map(line => (isToCopy(line) ? line : foldLine(line, columns)))
    .join('\n');

function foldLine(line: string, columns: number): string {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && toWidth(stripVTControlCharacters(longer)) > columns) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines.join('\n');
}
