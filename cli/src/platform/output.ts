// Output: data on stdout, messages on stderr. Text from the server or from files passes
// `printable` first, so that it cannot move the cursor or change colours.
import { styleText } from 'node:util';
import { fold } from './text-width.ts';

const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** One line of plain text. */
export const printable = (text: string): string => text.replace(controls, ' ');

/** Indented lines, so that no text can pass for a line of the output itself. */
export const indented = (text: string): string =>
  text
    .split(/\r?\n/)
    .map(line => `  ${printable(line)}`.trimEnd())
    .join('\n');

export const writeData = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

/** JSON itself leaves DEL and the C1 controls as they are. */
const escapeControl = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(/[\x7f-\x9f]/g, escapeControl);

export const writeJson = (value: unknown): void => writeData(toJson(value, 2));

/** For commands whose output has no end: one document a line. */
export const writeJsonLine = (value: unknown): void => writeData(toJson(value));

export const writeMessage = (text: string): void => {
  const { isTTY, columns } = process.stderr;
  process.stderr.write(`${isTTY ? fold(text, columns || 80) : text}\n`); // some terminals say that they have no columns
};

/** Colours only on a terminal, and only where NO_COLOR is not set. */
export const tint = (style: 'red' | 'yellow' | 'dim' | 'bold', text: string): string =>
  styleText(style, text, { stream: process.stderr });

/** A time as lists show it: UTC, to the minute. */
export const toMinute = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

/** `1 file`, `2 files`. */
export const counted = (count: number, word: string): string => `${count} ${count === 1 ? word : `${word}s`}`;
