// Entry point of the commands; each is loaded on use.
import { buildCommit } from '@recordproof/shared/build-commit.ts';
import { toVersionLine } from '@recordproof/shared/version-line.ts';
import { limitHeapGrowthSoon } from '../platform/memory.ts';
import { version } from '../version.ts';
import { commands, findHelp } from './help.ts';
import { answer, exitCodes, UsageError } from './outcome.ts';

export const commandNames: readonly string[] = [...new Set(commands.map(({ path }) => path.split(' ')[0] ?? path))];

/** The reader has closed the pipe, as in `recordproof-server config | head`. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** `recordproof-server --version --json`, in the format of the client. */
const showVersion = (asJson: boolean): number =>
  answer(asJson, {
    json: {
      version,
      commit: buildCommit ?? null,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
    },
    text: `${toVersionLine(version)}\n`,
  });

/** Runs a command as the only work of this process. */
export async function run(argv: readonly string[]): Promise<number> {
  if (toName(argv) !== 'serve') {
    endOnUncaught(argv);
    limitHeapGrowthSoon();
  }
  return runCommandLine(argv);
}

const toName = ([first]: readonly string[]): string => (first === undefined || first.startsWith('-') ? 'serve' : first);

/** Runs a command and resolves to its exit code. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  for (const stream of [process.stdout, process.stderr]) stream.off('error', ignoreClosed).on('error', ignoreClosed);
  if (argv.includes('--help') || argv.includes('-h') || argv[0] === 'help') {
    process.stdout.write(findHelp(argv, process.stdout.columns));
    return exitCodes.ok;
  }
  if (argv[0] === '--version' || argv[0] === 'version') return showVersion(argv.includes('--json'));
  try {
    return await runDeclared(argv);
  } catch (error) {
    return fail(error, argv);
  }
}

async function runDeclared(argv: readonly string[]): Promise<number> {
  const name = toName(argv);
  const args = argv[0] === name ? argv.slice(1) : argv;
  const find = (path: string) => commands.find(command => command.path === path);
  const ofTopic = find(`${name} ${args[0]}`);
  if (ofTopic !== undefined) return ofTopic.run(args.slice(1));
  const command = find(name);
  if (command !== undefined) return command.run(args);
  const known = commands.map(({ path }) => path).filter(path => path.startsWith(`${name} `));
  if (known.length > 0) {
    const list = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(known);
    const [word = '-'] = args;
    const problem = word.startsWith('-') ? 'missing subcommand' : `there is no command "${name} ${word}"`;
    throw new UsageError(`${problem}: ${list}.`);
  }
  throw new UsageError(`there is no command "${name}"; "recordproof-server --help" lists them.`);
}

/** Uncaught errors, as of a background connection, end a command like any other error. */
function endOnUncaught(argv: readonly string[]): void {
  process.once('uncaughtException', async error => process.exit(await fail(error, argv)));
}

async function fail(error: unknown, argv: readonly string[]): Promise<number> {
  const { toFailure, toFailureJson, toStacks } = await import('./failures.ts');
  const failure = toFailure(error);
  const { stderr } = process;
  if (wantsStacks(argv)) stderr.write(`${toStacks(error)}\n`);
  if (argv.includes('--json')) stderr.write(`${JSON.stringify(toFailureJson(failure))}\n`);
  else stderr.write(`recordproof-server: ${failure.message}\n`);
  return failure.code;
}

/** `--log-level debug` or `--log-level=debug`. */
const wantsStacks = (argv: readonly string[]): boolean => /--log-level[= ](?:debug|trace)\b/.test(argv.join(' '));
