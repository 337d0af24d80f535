// Help and completion of the server, from the declarations of its commands. It loads no command code.
import type { CommandDeclaration } from '@recordproof/shared/command-line/command.ts';
import { toHelp, toRows } from '@recordproof/shared/command-line/help.ts';
import { declareCompletion, toCompletion } from '@recordproof/shared/completion/from-commands.ts';
import type { Completion } from '@recordproof/shared/completion/position.ts';
import { foldHelp } from '@recordproof/shared/fold-help.ts';
import { adminCommands } from './declared/admin.ts';
import { evidenceCommands, keyCommands } from './declared/evidence.ts';
import { installationOptions, json, type ServerCommand } from './declared/local.ts';
import { checkCommands, configCommand, jobCommands, serve } from './declared/operation.ts';
import { storageCommands } from './declared/storage.ts';

const program = 'recordproof-server';

const completionCommand: ServerCommand = {
  ...declareCompletion(program),
  summary: 'Print the script that completes commands and options in a shell',
  run: async args => (await import('./completion.ts')).completion(args, readCompletion),
};

/** In the order of the help. */
export const commands: readonly ServerCommand[] = [
  serve,
  configCommand,
  ...adminCommands,
  ...evidenceCommands,
  ...checkCommands,
  ...storageCommands,
  ...jobCommands,
  ...keyCommands,
  completionCommand,
].map(command => (command.words ? command : { ...command, options: { ...command.options, json } }));

const toCommandRows = (listed: readonly CommandDeclaration[]): string =>
  toRows(listed.map(({ path, summary }) => [path === 'serve' ? '[serve]' : path, summary]));

const toProgramHelp = (columns?: number): string =>
  foldHelp(
    `${program}: stores files and proves what they were and when

${toCommandRows(commands)}
"${program} COMMAND --help" shows the help of a command.

${toHelp(program, { ...serve, path: '[serve]' })}
Exit codes: 0 success, 1 failure, 64 wrong usage, 66 no installation in the data folder or database, 69 the
database or the object store is unavailable, 70 internal error, 78 a setting is invalid, or database, keys and objects do not belong
together, 130 interrupted.
`,
    columns,
  );

/** Help for the command before --help; without a command, the program's help. */
export function findHelp(argv: readonly string[], columns?: number): string {
  const [first = '', second = ''] = argv.filter(word => !word.startsWith('-') && word !== 'help');
  const find = (path: string) => commands.find(command => command.path === path);
  const command = find(`${first} ${second}`) ?? find(first);
  if (command !== undefined) return toHelp(program, command, { columns });
  const ofTopic = commands.filter(({ path }) => path.startsWith(`${first} `));
  if (ofTopic.length === 0) return toProgramHelp(columns);
  return foldHelp(
    `${toCommandRows(ofTopic)}\n"${program} ${first} COMMAND --help" shows the help of a command.\n`,
    columns,
  );
}

/** Moves the options that select the installation behind the command's own. */
const withInstallationOptions = ({
  options: { json: asJson, ...own },
  isLocal,
  ...command
}: ServerCommand): CommandDeclaration => ({
  ...command,
  options: { ...own, ...(isLocal === true && { ...installationOptions, ...own }), ...(asJson && { json: asJson }) },
});

/** Options that select the installation or backup whose names are completed. */
const installationFlags = ['--data', '--config', '--from'];

export const readCompletion = (): Completion =>
  toCompletion(program, [...commands.map(withInstallationOptions), { ...serve, path: '' }], {
    passedOn: installationFlags,
  });
