// The ground under commands that work on the database directly, beside a running server or without one.
import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../config.ts';
import { migrations } from '../features.ts';
import { openSchema } from '../open-schema.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/open-db.ts';
import { UsageError } from './exit.ts';

export type Local = AsyncDisposable & { readonly config: Config; readonly database: Database };

export async function openLocal(configArgs: readonly string[]): Promise<Local> {
  const config = await readConfig(configArgs);
  const { database } = await openSchema(config, migrations, systemClock.now());
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
