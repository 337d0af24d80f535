// What a shell may complete: for every beginning of a command the words, flags and fixed values that can follow.
import type { CommandClass } from '../command.ts';

export type Choice = { readonly word: string; readonly summary: string };
export type Flag = Choice & { readonly takesValue: boolean };
export type Position = {
  /** The words so far, '' at the beginning. */
  readonly path: string;
  readonly next: readonly Choice[];
  readonly flags: readonly Flag[];
};

const firstLine = (text: string | undefined): string => (text ?? '').split('\n')[0] ?? '';

function flagsOf(command: CommandClass): Flag[] {
  return Object.entries({ ...command.flags, ...command.baseFlags })
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => ({
      word: `--${name}`,
      summary: firstLine(flag.summary ?? flag.description),
      takesValue: flag.type === 'option',
    }));
}

const firstOptions = (command: CommandClass): Choice[] =>
  (Object.values(command.args)[0]?.options ?? []).map(option => ({ word: String(option), summary: '' }));

export function toWords(commands: readonly CommandClass[]): Position[] {
  const positions = new Map<string, Position>([['', { path: '', next: [], flags: [] }]]);
  for (const command of commands) {
    const words = command.id.split(':');
    for (const [depth, word] of words.entries()) {
      const path = words.slice(0, depth).join(' ');
      const position = positions.get(path) ?? { path, next: [], flags: [] };
      const isLast = depth === words.length - 1;
      const summary = isLast ? firstLine(command.summary) : '';
      if (!position.next.some(choice => choice.word === word)) {
        positions.set(path, { ...position, next: [...position.next, { word, summary }] });
      }
    }
    const path = words.join(' ');
    positions.set(path, { path, next: firstOptions(command), flags: flagsOf(command) });
  }
  return [...positions.values()];
}
