// Owns checking one raw value against its setting, and refusing names that are none. Every refusal is one sentence that
// names the place the value came from; a secret is never repeated.
import type { z } from 'zod';
import { hintAt } from './nearest.ts';
import type { Setting } from './setting.ts';

/** A configuration that cannot be used. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

export function checkSetting(setting: Setting, raw: unknown, place: string): unknown {
  const result = setting.schema.safeParse(raw);
  if (result.success) return result.data;
  const shown = setting.secret || raw === undefined ? '' : ` (it is ${JSON.stringify(raw)})`;
  throw new ConfigError(`${place}${shown}: the value ${result.error.issues[0]?.message ?? 'is not valid'}.`);
}

/** Names that begin like ours and are not: most likely a setting that somebody mistyped. */
export function refuseUnknownVariables(
  environment: Environment,
  prefix: string,
  known: readonly string[],
  foreign: ReadonlySet<string> = new Set(),
): void {
  const unknown = Object.keys(environment).find(
    name => name.startsWith(prefix) && !known.includes(name) && !foreign.has(name),
  );
  if (unknown !== undefined)
    throw new ConfigError(`the environment variable ${unknown} is not a setting.${hintAt(unknown, known, prefix)}`);
}

/** For a program whose settings are environment variables alone. An empty variable is as good as none. */
export function readEnvironment<const T extends Readonly<Record<string, Setting>>>(
  table: T,
  environment: Environment,
  prefix: string,
): { readonly [N in keyof T]: z.output<T[N]['schema']> } {
  const settings = Object.entries(table);
  refuseUnknownVariables(
    environment,
    prefix,
    settings.map(([, { env }]) => env),
  );
  const values = settings.map(([name, setting]) => [
    name,
    checkSetting(setting, environment[setting.env] || undefined, setting.env),
  ]);
  return Object.fromEntries(values);
}
