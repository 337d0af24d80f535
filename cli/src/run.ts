// One command line from beginning to end: which command, run it, report how it ended. The only place that sets the
// exit code and that prints errors.
import { parseRequest, type Request, refuseSecrets, wants } from './argv.ts';
import { commandIds, loadAllCommands, loadCommand } from './command-table.ts';
import { exitCodes } from './exit-codes.ts';
import { type Failure, toFailure, toFailureJson, toStacks } from './failure.ts';
import { Fixable } from './fixable.ts';
import { printable, say, tint, writeData, writeJson } from './output.ts';
import { version } from './version.ts';

async function showHelp(words: readonly string[]): Promise<void> {
  const [{ Help }, { loadOclif }] = await Promise.all([import('@oclif/core/help'), import('./oclif.ts')]);
  const help = new Help(await loadOclif(await loadAllCommands()), {
    hideCommandSummaryInDescription: true,
    flagSortOrder: 'none',
  });
  await help.showHelp([...words]);
}

function showVersion(asJson: boolean): void {
  if (asJson) writeJson({ version, node: process.version, platform: `${process.platform}-${process.arch}` });
  else writeData(`recordproof ${version}`);
}

function refuseUnknown(words: readonly string[], suggestion: string | undefined): never {
  throw new Fixable('usage', `there is no command "${printable(words.join(' '))}"`, {
    try: suggestion ? `recordproof ${suggestion}` : 'recordproof --help',
  });
}

async function perform(request: Request, argv: readonly string[]): Promise<void> {
  switch (request.kind) {
    case 'version':
      return showVersion(wants(argv, '--json'));
    case 'help':
      return showHelp(request.words);
    case 'unknown':
      return refuseUnknown(request.words, request.suggestion);
    case 'command': {
      const [found, { loadOclif }] = await Promise.all([loadCommand(request.id), import('./oclif.ts')]);
      await found.run([...request.argv], await loadOclif([found]));
    }
  }
}

function sayFailure({ message, tryThis }: Failure): void {
  say(`${tint('red', 'error:')} ${message.split('\n').map(printable).join('\n')}`);
  if (tryThis) say(`${tint('dim', '  try:')} ${printable(tryThis)}`);
}

function report(thrown: unknown, request: Request, argv: readonly string[]): void {
  const commandLine = request.kind === 'command' ? `recordproof ${request.id.replaceAll(':', ' ')}` : 'recordproof';
  const failure = toFailure(thrown, commandLine);
  process.exitCode = exitCodes[failure.ending].code;
  if (wants(argv, '--debug') || process.env.DEBUG) say(tint('dim', toStacks(thrown)));
  if (wants(argv, '--json')) writeJson(toFailureJson(failure));
  else if (failure.ending !== 'interrupted') sayFailure(failure);
}

export async function runCommandLine(argv: readonly string[]): Promise<void> {
  if (wants(argv, '--no-color')) process.env.NO_COLOR = '1';
  const request = parseRequest(argv, commandIds);
  try {
    refuseSecrets(argv);
    await perform(request, argv);
  } catch (error) {
    report(error, request, argv);
  }
}
