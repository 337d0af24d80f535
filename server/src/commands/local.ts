// The ground under commands that work on the database directly, beside a running server or without one.
import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../config.ts';
import { migrations } from '../features.ts';
import { systemClock } from '../platform/clock.ts';
import { openServerKeys } from '../platform/crypto/server-keys.ts';
import { migrate } from '../platform/db/migrate.ts';
import { type Database, openDatabase } from '../platform/db/open-db.ts';
import { checkInstallation } from '../platform/installation.ts';
import { UsageError } from './exit.ts';

export type Local = AsyncDisposable & { readonly config: Config; readonly database: Database };

export async function openLocal(configArgs: readonly string[]): Promise<Local> {
  const config = await readConfig(configArgs);
  const keys = openServerKeys(config.keysFolder);
  const database = await openDatabase(config.db);
  try {
    await migrate(database.db, database.kind, migrations, systemClock.now());
    await checkInstallation(database.db, keys.fingerprint, config.keysFolder, systemClock.now());
  } catch (error) {
    await database.close();
    throw error;
  }
  return { config, database, [Symbol.asyncDispose]: () => database.close() };
}

const shared = ['data', 'config', 'log-level', 'profile'] as const;

/** Splits a command's own flags from those that say which server is meant. */
export function parseLocalArgs<const N extends string, const B extends string>(
  args: readonly string[],
  texts: readonly N[],
  switches: readonly B[],
): { values: { [K in N]?: string } & { [K in B]?: boolean }; configArgs: string[] } {
  const options = Object.fromEntries([
    ...[...texts, ...shared].map(name => [name, { type: 'string' as const }]),
    ...switches.map(name => [name, { type: 'boolean' as const }]),
  ]);
  try {
    const { values } = parseArgs({ args: [...args], options, strict: true });
    const given: Readonly<Record<string, unknown>> = values;
    const configArgs = shared.flatMap(name => (typeof given[name] === 'string' ? [`--${name}`, given[name]] : []));
    return { values: given as { [K in N]?: string } & { [K in B]?: boolean }, configArgs };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** A secret from standard input: piped, or typed without echo. */
export async function readSecret(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) {
    let text = '';
    for await (const chunk of process.stdin) {
      text += String(chunk);
      if (text.length > 4096) throw new UsageError('standard input holds more than a password.');
    }
    return text.replace(/\r?\n$/, '');
  }
  const { createInterface } = await import('node:readline/promises');
  const { Writable } = await import('node:stream');
  process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
