// Entry point of the commands, by the first word of the command line; each is loaded on use.
import { buildCommit } from '@recordproof/shared/build-commit.ts';
import { toVersionLine } from '@recordproof/shared/version-line.ts';
import { version } from '../version.ts';
import { answer } from './answer.ts';
import { exitCodes, UsageError } from './exit.ts';
import { findHelp } from './help.ts';

type Command = (args: readonly string[]) => Promise<number>;

const commands = new Map<string, () => Promise<Command>>(
  Object.entries({
    serve: async () => (await import('./serve.ts')).serve,
    config: async () => (await import('./config.ts')).showConfig,
    selftest: async () => (await import('./selftest/selftest.ts')).selftest,
    admin: async () => (await import('./admin.ts')).admin,
    chain: async () => (await import('./chain.ts')).chain,
    ledger: async () => (await import('./ledger.ts')).ledger,
    audit: async () => (await import('./audit.ts')).audit,
    database: async () => (await import('./database.ts')).database,
    'import-legacy': async () => (await import('./import-legacy.ts')).importRecords,
    jobs: async () => (await import('./jobs.ts')).jobs,
    keys: async () => (await import('./keys.ts')).keys,
    health: async () => (await import('./health.ts')).health,
    doctor: async () => (await import('./doctor/doctor.ts')).doctor,
    migrate: async () => (await import('./migrate.ts')).migrate,
    upgrade: async () => (await import('./upgrade.ts')).upgrade,
    gc: async () => (await import('./gc.ts')).gc,
    backup: async () => (await import('./backup/backup.ts')).backup,
    restore: async () => (await import('./backup/restore.ts')).restore,
    completion: async () => (await import('./completion.ts')).completion,
  }),
);

export const commandNames: readonly string[] = [...commands.keys()];

/** The reader has closed the pipe, as in `recordproof-server config | head`. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** `recordproof-server --version --json`, in the format of the client. */
const showVersion = (asJson: boolean): void =>
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
  if (toName(argv) !== 'serve') endOnUncaught(argv);
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
  if (argv[0] === '--version' || argv[0] === 'version') {
    showVersion(argv.includes('--json'));
    return exitCodes.ok;
  }
  const name = toName(argv);
  try {
    const load = commands.get(name);
    if (!load) throw new UsageError(`there is no command "${name}"; "recordproof-server --help" lists them.`);
    return await (await load())(argv[0] === name ? argv.slice(1) : argv);
  } catch (error) {
    return fail(error, argv);
  }
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
