// The completion of a program whose help is written by hand: whatever the help names is offered. A line of it is two
// spaces, what is typed, two spaces or more, and what it means.
import type { Completion, Flag, Position } from './position.ts';

export type Help = {
  readonly path: string;
  readonly text: string;
  /** Flags that the text names and the command does not take. */
  readonly without?: readonly string[];
  readonly takesFile?: boolean;
};

type Options = {
  /** Flag → what `PROGRAM completion values …` is asked for. */
  readonly asks?: Readonly<Record<string, string>>;
} & Pick<Completion, 'passedOn'>;

type Line = { readonly typed: string; readonly summary: string };

const linePattern = /^ {2}(?! )(.+?)(?: {2,}(.*))?$/;
const flagPattern = /(--[a-z][a-z-]*)(?:[ =]([A-Z][\w.|-]*|[a-z]+(?:\|[a-z]+)+))?/g;

const readLines = (text: string): Line[] =>
  text.split('\n').flatMap(line => {
    const [, typed, meaning = ''] = linePattern.exec(line) ?? [];
    return typed === undefined ? [] : [{ typed, summary: meaning.split(/ {2,}/)[0] ?? '' }];
  });

const readFlags = ({ typed, summary }: Line): Flag[] =>
  [...typed.matchAll(flagPattern)]
    .map(([, word = '', value]) => ({ word, summary, takesValue: value !== undefined }))
    .filter(({ word }) => word !== '--help');

/** The commands that a line begins with, if it does: `PROGRAM words …`, or `words …` in the help of all or of the first of them. */
function readWords(typed: string, program: string, path: string): string[] {
  const [first = ''] = path.split(' ');
  const isNamed = typed.startsWith(`${program} `);
  if (!isNamed && first !== '' && !typed.startsWith(`${first} `)) return [];
  const [words = ''] = /^(?:\[?[a-z][a-z-]*\]?(?: |$))*/.exec(isNamed ? typed.slice(program.length + 1) : typed) ?? [];
  return words.replaceAll(/[[\]]/g, '').trim().split(' ').filter(Boolean);
}

class Positions {
  readonly #byPath = new Map<string, Position>();

  #at = (path: string): Position => this.#byPath.get(path) ?? { path, next: [], flags: [] };

  addWords(words: readonly string[], summary: string): void {
    for (const [depth, word] of words.entries()) {
      const position = this.#at(words.slice(0, depth).join(' '));
      const choice = { word, summary: depth === words.length - 1 ? summary : '' };
      const isNew = !position.next.some(known => known.word === word);
      this.#byPath.set(position.path, isNew ? { ...position, next: [...position.next, choice] } : position);
    }
  }

  addFlags(path: string, flags: readonly Flag[]): void {
    const position = this.#at(path);
    const known = new Set(position.flags.map(flag => flag.word));
    this.#byPath.set(path, {
      ...position,
      flags: [...position.flags, ...flags.filter(({ word }) => !known.has(word))],
    });
  }

  markFile(path: string): void {
    this.#byPath.set(path, { ...this.#at(path), takesFile: true });
  }

  /** What a command takes, the commands below it take as well. */
  list = (): Position[] => {
    for (const { path } of [...this.#byPath.values()]) {
      const above = path.split(' ').slice(0, -1).join(' ');
      if (above !== '') this.addFlags(path, this.#at(above).flags);
    }
    return [...this.#byPath.values()];
  };
}

/** `helps`: of the program (path '') and of each command. */
export function toCompletion(
  program: string,
  helps: readonly Help[],
  { asks = {}, ...more }: Options = {},
): Completion {
  const positions = new Positions();
  for (const { path, text, without = [], takesFile } of helps) {
    positions.addWords(path.split(' ').filter(Boolean), '');
    positions.addFlags(path, []);
    if (takesFile === true) positions.markFile(path);
    for (const line of readLines(text)) {
      const words = readWords(line.typed, program, path);
      const flags = readFlags(line)
        .filter(({ word }) => !without.includes(word))
        .map(flag => (asks[flag.word] === undefined ? flag : { ...flag, asks: asks[flag.word] as string }));
      positions.addWords(words, line.summary);
      positions.addFlags(words.length === 0 ? path : words.join(' '), flags);
    }
  }
  return { program, positions: positions.list(), ...more };
}
