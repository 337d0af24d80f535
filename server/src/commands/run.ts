// What the binary can do, by its first word; nothing loads before it is needed.
import { ConfigError } from '../config/read.ts';
import { version } from '../version.ts';
import { exitCodes, UsageError } from './exit.ts';
import { help } from './help.ts';

type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  config: async () => (await import('./config.ts')).showConfig,
  admin: async () => (await import('./admin.ts')).admin,
  chain: async () => (await import('./chain.ts')).chain,
  ledger: async () => (await import('./ledger.ts')).ledger,
  audit: async () => (await import('./audit.ts')).audit,
  keys: async () => (await import('./keys.ts')).keys,
};

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h') || argv[0] === 'help') {
    process.stdout.write(help);
    return exitCodes.ok;
  }
  if (argv[0] === '--version' || argv[0] === 'version') {
    process.stdout.write(`${version}\n`);
    return exitCodes.ok;
  }
  const named = argv[0] !== undefined && !argv[0].startsWith('-');
  const load = commands[named ? (argv[0] ?? '') : 'serve'];
  try {
    if (!load) throw new UsageError(`there is no command "${argv[0]}"; "recordproof-server --help" lists them.`);
    return await (await load())(named ? argv.slice(1) : argv);
  } catch (error) {
    return fail(error);
  }
}

/** Errors whose message is meant for the operator; anything else is a bug and shows where it happened. */
async function fail(error: unknown): Promise<number> {
  const { StartRefused } = await import('../platform/installation.ts');
  const { SchemaRefused } = await import('../platform/db/migrate.ts');
  const { DatabaseUnavailable } = await import('../platform/db/open-db.ts');
  const { KeyFileRefused } = await import('../platform/crypto/server-keys.ts');
  const { ApiError } = await import('@recordproof/shared/api/errors.ts');
  const [code, message] =
    error instanceof ConfigError
      ? [exitCodes.config, error.message]
      : error instanceof UsageError
        ? [exitCodes.usage, error.message]
        : error instanceof DatabaseUnavailable
          ? [exitCodes.unavailable, error.message]
          : [StartRefused, SchemaRefused, KeyFileRefused, ApiError].some(kind => error instanceof kind)
            ? [exitCodes.failed, (error as Error).message]
            : [exitCodes.failed, error instanceof Error ? (error.stack ?? error.message) : String(error)];
  process.stderr.write(`recordproof-server: ${message}\n`);
  return code;
}
