// Validation of raw setting values, and rejection of unknown names. Every error is one sentence that names the source
// of the value; a secret is never repeated.
import type { z } from 'zod';
import { hintAt } from './nearest.ts';
import type { Setting } from './setting.ts';

/** An invalid configuration. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

export function checkSetting(setting: Setting, raw: unknown, name: string): unknown {
  const result = setting.schema.safeParse(raw);
  if (result.success) return result.data;
  const shown = setting.secret || raw === undefined ? '' : ` (it is ${JSON.stringify(raw)})`;
  throw new ConfigError(`${name}${shown}: the value ${result.error.issues[0]?.message ?? 'is not valid'}.`);
}

/** Unknown names with our prefix: most likely mistyped settings. */
export function rejectUnknownVariables(
  environment: Environment,
  prefix: string,
  names: readonly string[],
  foreign: ReadonlySet<string> = new Set(),
): void {
  const unknown = Object.keys(environment).find(
    name => name.startsWith(prefix) && !names.includes(name) && !foreign.has(name),
  );
  if (unknown !== undefined)
    throw new ConfigError(`the environment variable ${unknown} is not a setting.${hintAt(unknown, names, prefix)}`);
}

/** For a program configured only by environment variables. An empty variable counts as unset. */
export function readEnvironment<const T extends Readonly<Record<string, Setting>>>(
  table: T,
  environment: Environment,
  prefix: string,
): { readonly [N in keyof T]: z.output<T[N]['schema']> } {
  const settings = Object.entries(table);
  rejectUnknownVariables(
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
