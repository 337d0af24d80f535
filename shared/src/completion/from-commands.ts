// Completion of a program from its command declarations, and the declaration of the command `completion`.
import type { CommandDeclaration, Option } from '../command-line/command.ts';
import type { Completion, Flag, Position } from './position.ts';

const toFlag = ([name, { kind, help, asks }]: [string, Option]): Flag => ({
  word: `--${name}`,
  summary: help,
  takesValue: kind !== 'switch',
  ...(asks !== undefined && { asks }),
});

const listFlags = ({ options, forms = [] }: CommandDeclaration): Flag[] =>
  Object.entries(Object.assign({}, ...forms.map(form => form.options), options) as typeof options).map(toFlag);

/** `commands`: the one without a path is the default command. */
export function toCompletion(
  program: string,
  commands: readonly CommandDeclaration[],
  more: Pick<Completion, 'passedOn'> = {},
): Completion {
  const positions = new Map<string, Position>();
  const at = (path: string): Position => positions.get(path) ?? { path, next: [], flags: [] };
  const addWord = (above: string, word: string, summary: string): void => {
    const position = at(above);
    const isKnown = position.next.some(known => known.word === word);
    positions.set(above, isKnown ? position : { ...position, next: [...position.next, { word, summary }] });
  };
  for (const command of commands) {
    const { path, summary, words = [], takesFile } = command;
    const typed = path.split(' ').filter(Boolean);
    for (const [depth, word] of typed.entries())
      addWord(typed.slice(0, depth).join(' '), word, depth === typed.length - 1 ? summary : '');
    const flags = listFlags(command);
    positions.set(path, { ...at(path), flags, ...(takesFile === true && { takesFile }) });
    for (const [word, meaning] of words) {
      addWord(path, word, meaning);
      positions.set(`${path} ${word}`, { path: `${path} ${word}`, next: [], flags });
    }
  }
  return { program, positions: [...positions.values()], ...more };
}

export const declareCompletion = (program: string): CommandDeclaration => ({
  path: 'completion',
  summary: 'Prints the script that completes commands and options in a shell',
  usage: ['completion bash|zsh|fish'],
  words: [
    ['bash', `for ~/.local/share/bash-completion/completions/${program}`],
    ['zsh', `for a file _${program} in a folder of the fpath`],
    ['fish', `for ~/.config/fish/completions/${program}.fish`],
  ],
  options: {},
  notes: `For one bash alone: source <(${program} completion bash)\n`,
});
