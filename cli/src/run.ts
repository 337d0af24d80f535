// One command line: find the command, run it, report its end. The only place that prints errors; the exit code is set here
// and by commands that process several items (command.ts).

import { buildCommit } from '@recordproof/shared/build-commit.ts';
import { toVersionLine } from '@recordproof/shared/version-line.ts';
import { aliases, commandIds, loadCommand } from './commands-by-id.ts';
import { hasFlag, parseRequest, type Request, rejectSecrets } from './platform/argv.ts';
import { CommandError } from './platform/command-error.ts';
import { exitCodes } from './platform/exit-codes.ts';
import { type Failure, toFailure, toFailureJson, toStacks } from './platform/failure.ts';
import { isClosedOutput } from './platform/interrupts.ts';
import { printable, tint, writeData, writeJson, writeJsonLine, writeMessage } from './platform/output.ts';
import { version } from './platform/version.ts';

function showVersion(asJson: boolean): void {
  const platform = `${process.platform}-${process.arch}`;
  if (asJson) writeJson({ version, commit: buildCommit ?? null, node: process.version, platform });
  else writeData(`recordproof ${toVersionLine(version)}`);
}

function rejectUnknown(words: readonly string[], suggestion: string | undefined): never {
  throw new CommandError('usage', `there is no command "${printable(words.join(' '))}"`, {
    try: suggestion ? `recordproof ${suggestion}` : 'recordproof --help',
  });
}

async function perform(request: Request, argv: readonly string[]): Promise<void> {
  switch (request.kind) {
    case 'version':
      return showVersion(hasFlag(argv, '--json'));
    case 'help':
      return (await import('./help.ts')).showHelp(request.words);
    case 'unknown':
      return rejectUnknown(request.words, request.suggestion);
    case 'command': {
      const [found, { loadOclif }] = await Promise.all([loadCommand(request.id), import('./oclif.ts')]);
      await found.run([...request.argv], await loadOclif([found]));
    }
  }
}

function writeFailure({ kind, message, tryThis }: Failure): void {
  // Only oclif's own lists keep their lines; any other text may come from the server.
  const lines = kind === 'USAGE' ? message.split('\n') : [message];
  writeMessage(`${tint('red', 'error:')} ${lines.map(printable).join('\n')}`);
  if (tryThis) writeMessage(`${tint('dim', '  try:')} ${printable(tryThis)}`);
}

function report(thrown: unknown, request: Request, argv: readonly string[]): void {
  const commandLine = request.kind === 'command' ? `recordproof ${request.id.replaceAll(':', ' ')}` : 'recordproof';
  const failure = toFailure(thrown, commandLine);
  process.exitCode = exitCodes[failure.ending].code;
  if (hasFlag(argv, '--debug') || process.env.DEBUG) writeMessage(tint('dim', toStacks(thrown)));
  if (hasFlag(argv, '--json')) writeJsonLine(toFailureJson(failure));
  else if (failure.ending !== 'interrupted') writeFailure(failure);
  else if (failure.tryThis) writeMessage(`interrupted: ${failure.tryThis}`);
}

/** An error outside of any awaited call, as of a background connection: reported like any other failure. */
export const reportUncaught = (thrown: unknown, argv: readonly string[]): void =>
  report(thrown, parseRequest(argv, { ids: commandIds, aliases }), argv);

export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (hasFlag(argv, '--no-color')) process.env.NO_COLOR = '1';
  const request = parseRequest(argv, { ids: commandIds, aliases });
  try {
    rejectSecrets(argv);
    await perform(request, argv);
  } catch (error) {
    if (!isClosedOutput(error)) report(error, request, argv);
  }
}
