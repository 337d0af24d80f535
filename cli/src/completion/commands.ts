// Commands for shells: the completion script, and the values that it asks for.
import { custom, option } from '@oclif/core/args';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { listFolders } from '@recordproof/shared/api/folders.ts';
import { listAllFriends } from '@recordproof/shared/api/friends.ts';
import { listShares } from '@recordproof/shared/api/shares.ts';
import { listTickets } from '@recordproof/shared/api/tickets.ts';
import { listUploads } from '@recordproof/shared/api/upload-sessions.ts';
import type { Choice, Flag, Position } from '@recordproof/shared/completion/position.ts';
import { completionFor, type Shell, shells } from '@recordproof/shared/completion/shells.ts';
import { findValueKind, type ValueKind, valueKinds } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import type { AllCommands, CommandClass } from '../platform/command-class.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { readConfig } from '../platform/config-file.ts';
import { printable } from '../platform/output.ts';

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

/** An alias has the completions of its word. It is not offered itself. */
function listUnderAliases(positions: readonly Position[], aliases: ReadonlyMap<string, string>): Position[] {
  return [...aliases].flatMap(([alias, meant]) =>
    positions
      .filter(({ path }) => path === meant || path.startsWith(`${meant} `))
      .map(position => ({ ...position, path: alias + position.path.slice(meant.length) })),
  );
}

function toWords({ commands, aliases }: AllCommands): Position[] {
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
  const listed = [...positions.values()];
  return [...listed, ...listUnderAliases(listed, aliases)];
}

export const completion = command({
  summary: 'Print the completion script for a shell',
  description:
    'The script knows every command, flag and fixed value; profiles, and ids and names from the server, are asked for when they are needed.',
  examples: [
    { command: 'completion bash > ~/.local/share/bash-completion/completions/recordproof', description: 'bash' },
    { command: 'completion zsh > ~/.zsh/completions/_recordproof', description: 'zsh' },
    { command: 'completion fish > ~/.config/fish/completions/recordproof.fish', description: 'fish' },
  ],
  args: {
    shell: custom<Shell>({ description: 'The shell.', options: shells })({
      required: true,
      parse: async text => text as Shell,
    }),
  },
  async run({ args: { shell }, context }) {
    return {
      shell,
      script: completionFor[shell]({ program: 'recordproof', positions: toWords(await context.allCommands()) }),
    };
  },
  text: ({ script }) => script,
});

type Value = { readonly word: string; readonly about: string };

/** Completion must be fast: without an answer in time nothing is offered. */
const timeoutMs = 2000;
const newest = { query: { size: 100 } } as const;

async function listValues(context: CommandContext, kind: ValueKind, signal: AbortSignal): Promise<Value[]> {
  if (kind === 'profiles') {
    const { profiles } = await readConfig(context.paths);
    return [...profiles].map(([word, { server = '' }]) => ({ word, about: server }));
  }
  const client = await context.session();
  switch (kind) {
    case 'files': {
      const { records } = await client.call(listFiles, { ...newest, signal });
      return records.flatMap(({ id, fileName }) => [
        { word: id, about: fileName },
        { word: fileName, about: '' },
      ]);
    }
    case 'folders': {
      const { folders } = await client.call(listFolders, { signal });
      return folders.map(({ path, files }) => ({ word: path, about: `${files} files` }));
    }
    case 'shares': {
      const { records } = await client.call(listShares, { ...newest, signal });
      return records.map(share => ({
        word: share.shareCode,
        about: share.files.map(file => file.fileName).join(', '),
      }));
    }
    case 'friends':
      return (await client.call(listAllFriends, { signal })).map(({ username, nickname }) => ({
        word: username,
        about: nickname ?? '',
      }));
    case 'tickets': {
      const { records } = await client.call(listTickets, { ...newest, signal });
      return records.map(({ ticketNo, title }) => ({ word: ticketNo, about: title }));
    }
    case 'uploads':
      return (await client.call(listUploads, { signal })).map(({ clientId, fileName }) => ({
        word: clientId,
        about: fileName,
      }));
  }
}

/** Shells accept these as one word without quotes. */
const isPlainWord = ({ word }: Value): boolean => /^[^\s'"\\$`;&|<>(){}*?[\]!#~]+$/.test(word);

export const values = command({
  summary: 'Print the possible values of an argument; the completion scripts call it',
  description: 'One per line, with its description after a tab. Nothing when the server does not answer at once.',
  examples: [{ command: 'completion values files', description: 'Ids and names of the newest files' }],
  args: { kind: option({ options: valueKinds, description: 'The kind of value.' })({ required: true }) },
  async run({ args, context }) {
    const values = await listValues(context, args.kind, AbortSignal.timeout(timeoutMs));
    return values.filter(isPlainWord);
  },
  text: values => values.map(({ word, about }) => `${word}\t${printable(about)}`).join('\n'),
});
