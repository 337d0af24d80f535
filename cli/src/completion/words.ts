// What a shell may complete, from the table of commands.
import type { Choice, Flag, Position } from '@recordproof/shared/completion/position.ts';
import { findValueKind } from '../platform/completable.ts';
import type { AllCommands, CommandClass } from '../platform/topic.ts';

const firstLine = (text: string | undefined): string => (text ?? '').split('\n')[0] ?? '';

function flagsOf(command: CommandClass): Flag[] {
  return Object.entries({ ...command.flags, ...command.baseFlags })
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => ({
      word: `--${name}`,
      summary: firstLine(flag.summary ?? flag.description),
      takesValue: flag.type === 'option',
      ...(name === 'profile' ? { asks: 'profiles' } : {}),
    }));
}

const firstOptions = (command: CommandClass): Choice[] =>
  (Object.values(command.args)[0]?.options ?? []).map(option => ({ word: String(option), summary: '' }));

/** What follows on a word follows on another that stands for it, too. That one is not offered itself. */
function listUnderAliases(positions: readonly Position[], aliases: ReadonlyMap<string, string>): Position[] {
  return [...aliases].flatMap(([alias, meant]) =>
    positions
      .filter(({ path }) => path === meant || path.startsWith(`${meant} `))
      .map(position => ({ ...position, path: alias + position.path.slice(meant.length) })),
  );
}

export function toWords({ commands, aliases }: AllCommands): Position[] {
  const positions = new Map<string, Position>([['', { path: '', next: [], flags: [], values: undefined }]]);
  for (const command of commands) {
    const words = command.id.split(':');
    for (const [depth, word] of words.entries()) {
      const path = words.slice(0, depth).join(' ');
      const position = positions.get(path) ?? { path, next: [], flags: [], values: undefined };
      const isLast = depth === words.length - 1;
      const summary = isLast ? firstLine(command.summary) : '';
      if (!position.next.some(choice => choice.word === word)) {
        positions.set(path, { ...position, next: [...position.next, { word, summary }] });
      }
    }
    const path = words.join(' ');
    const next = [...(positions.get(path)?.next ?? []), ...firstOptions(command)];
    const values = findValueKind(Object.values(command.args)[0]);
    positions.set(path, { path, next, flags: flagsOf(command), values });
  }
  const said = [...positions.values()];
  return [...said, ...listUnderAliases(said, aliases)];
}
