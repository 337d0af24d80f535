// What the binary can do, by its first word; nothing loads before it is needed.
import { foldHelp } from '@recordproof/shared/fold-help.ts';
import { toVersionLine } from '@recordproof/shared/version-line.ts';
import { version } from '../version.ts';
import { exitCodes, UsageError } from './exit.ts';
import { findHelp } from './help.ts';

type Command = (args: readonly string[]) => Promise<number>;

const commands = new Map<string, () => Promise<Command>>(
  Object.entries({
    serve: async () => (await import('./serve.ts')).serve,
    config: async () => (await import('./config.ts')).showConfig,
    admin: async () => (await import('./admin.ts')).admin,
    chain: async () => (await import('./chain.ts')).chain,
    ledger: async () => (await import('./ledger.ts')).ledger,
    audit: async () => (await import('./audit.ts')).audit,
    database: async () => (await import('./database.ts')).database,
    'import-legacy': async () => (await import('./import-legacy.ts')).importRecords,
    jobs: async () => (await import('./jobs.ts')).jobs,
    keys: async () => (await import('./keys.ts')).keys,
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

/** The reader has seen enough, as in `recordproof-server config | head`. */
function allowClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

export async function run(argv: readonly string[]): Promise<number> {
  allowClosedOutput();
  if (argv.includes('--help') || argv.includes('-h') || argv[0] === 'help') {
    process.stdout.write(foldHelp(findHelp(argv), process.stdout.columns));
    return exitCodes.ok;
  }
  if (argv[0] === '--version' || argv[0] === 'version') {
    process.stdout.write(`${toVersionLine(version)}\n`);
    return exitCodes.ok;
  }
  const named = argv[0] !== undefined && !argv[0].startsWith('-');
  const load = commands.get(named ? (argv[0] ?? '') : 'serve');
  try {
    if (!load) throw new UsageError(`there is no command "${argv[0]}"; "recordproof-server --help" lists them.`);
    return await (await load())(named ? argv.slice(1) : argv);
  } catch (error) {
    return fail(error);
  }
}

async function fail(error: unknown): Promise<number> {
  const { toFailure } = await import('./failures.ts');
  const { code, message } = toFailure(error);
  process.stderr.write(`recordproof-server: ${message}\n`);
  return code;
}
