// The ground under commands that work on the database directly, beside a running server or without one. What only looks,
// or changes what is there, never begins an installation.
import { parseArgs } from 'node:util';
import { migrations } from '../compose/features.ts';
import { openInstallation, openSchema, type Schema } from '../compose/open-schema.ts';
import { type Config, readConfig } from '../config/config.ts';
import { toFlagProblem } from '../config/flag-problem.ts';
import { systemClock } from '../platform/clock.ts';
import { refuseUnfinished } from '../platform/installation.ts';
import type { Intent } from '../platform/installation-rules.ts';
import { refuseMoved } from '../platform/move-mark.ts';
import { UsageError } from './exit.ts';

type Local = AsyncDisposable & Schema & { readonly config: Config };

const toLocal = (config: Config, schema: Schema): Local => ({
  config,
  ...schema,
  [Symbol.asyncDispose]: () => schema.database.close(),
});

async function readUsable(configArgs: readonly string[]): Promise<Config> {
  const config = await readConfig(configArgs);
  refuseUnfinished(config.dataFolder);
  refuseMoved(config);
  return config;
}

/** What is set up already; where nothing is, nothing is made. */
export async function openLocal(configArgs: readonly string[], intent: Intent = {}): Promise<Local> {
  const config = await readUsable(configArgs);
  return toLocal(config, await openInstallation(config, migrations, intent));
}

/** For what may come before the first start of a server. `isNew`: a new installation is meant. */
export async function openOrMakeLocal(configArgs: readonly string[], isNew: boolean | undefined): Promise<Local> {
  const config = await readUsable(configArgs);
  return toLocal(config, await openSchema(config, migrations, systemClock.now(), { isNew: isNew === true }));
}

const shared = ['data', 'config', 'log-level', 'profile'] as const;

type LocalValues<N extends string, B extends string> = { [K in N]?: string } & { [K in B | 'json']?: boolean };

/** Splits a command's own flags from those that say which server is meant. */
export function parseLocalArgs<const N extends string, const B extends string>(
  args: readonly string[],
  texts: readonly N[],
  switches: readonly B[],
): { values: LocalValues<N, B>; configArgs: string[] } {
  const options = Object.fromEntries([
    ...[...texts, ...shared].map(name => [name, { type: 'string' as const }]),
    ...['json', ...switches].map(name => [name, { type: 'boolean' as const }]),
  ]);
  try {
    const { values, tokens } = parseArgs({ args: [...args], options, strict: true, tokens: true });
    const typed = tokens.flatMap(token => (token.kind === 'option' ? [token.rawName] : []));
    const twice = typed.find((name, at) => typed.indexOf(name) !== at);
    if (twice !== undefined) throw new UsageError(`${twice} is given twice.`);
    const given: Readonly<Record<string, unknown>> = values;
    const configArgs = shared.flatMap(name => (typeof given[name] === 'string' ? [`--${name}`, given[name]] : []));
    return { values: given as LocalValues<N, B>, configArgs };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(toFlagProblem(error, Object.keys(options)));
  }
}
