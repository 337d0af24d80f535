// Reader of raw setting values by precedence (flag, environment, file, profile, default); each is checked alone. Every
// error is one sentence that names the source of the value.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { hintAt } from '@recordproof/shared/settings/nearest.ts';
import { ConfigError, checkSetting, rejectUnknownVariables } from '@recordproof/shared/settings/read-setting.ts';
import type { Setting } from '@recordproof/shared/settings/setting.ts';
import type { z } from 'zod';
import { FlagError, toFlagProblem } from './flag-problem.ts';
import { type SettingName, settings } from './settings.ts';
import { suitePrefix } from './suite-settings.ts';

type Source = 'flag' | 'environment' | 'file' | 'profile' | 'default';
export type Value<N extends SettingName> = z.output<(typeof settings)[N]['schema']>;
export type RawConfig = {
  readonly values: ReadonlyMap<SettingName, unknown>;
  readonly sources: ReadonlyMap<SettingName, Source>;
};

/**
 * Prefixes under which unknown variables are errors: a mistyped one would leave keys or suites in use, or a sweep on.
 */
const ownPrefixes = [
  'RECORDPROOF_',
  'KEY_ROTATION_',
  'INTEGRITY_CHECK_',
  'INTEGRITY_SCRUB_',
  'BACKFILL_',
  'SWEEP_',
  suitePrefix,
];
const names = Object.keys(settings) as SettingName[];

/** Variables of the client programs or the tests, under our prefixes. */
const foreignEnv = new Set([
  'RECORDPROOF_CONFIG',
  'RECORDPROOF_SERVER',
  'RECORDPROOF_TOKEN',
  'RECORDPROOF_CLI_PROFILE',
]);

const flagOf = (setting: Setting): string | undefined => setting.flag;

function readFlags(argv: readonly string[]): Map<string, string> {
  const flags = names.map(name => flagOf(settings[name])).filter(flag => flag !== undefined);
  const options = Object.fromEntries([...flags, 'config'].map(flag => [flag, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
    return new Map(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch (error) {
    throw new FlagError(`${toFlagProblem(error, Object.keys(options))} "recordproof-server --help" lists the flags.`);
  }
}

/** `{a: {b: 1}}` and `{"a.b": 1}` mean the same. */
function flatten(value: unknown, prefix: string, into: Map<string, unknown>): Map<string, unknown> {
  const isGroup = value !== null && typeof value === 'object' && !Array.isArray(value);
  const inner = isGroup ? Object.entries(value) : [];
  for (const [key, each] of inner) flatten(each, prefix === '' ? key : `${prefix}.${key}`, into);
  if (inner.length > 0 || prefix === '') return into;
  if (into.has(prefix)) throw new ConfigError(`the configuration file sets "${prefix}" twice.`);
  return into.set(prefix, value);
}

async function readFile(path: string): Promise<Map<string, unknown>> {
  if (!existsSync(path)) throw new ConfigError(`the configuration file ${path} does not exist.`);
  const { parse, YAMLParseError } = await import('yaml');
  let parsed: unknown;
  try {
    parsed = parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 });
  } catch (error) {
    const reason = error instanceof YAMLParseError ? error.message.split('\n')[0] : 'it cannot be read';
    throw new ConfigError(`the configuration file ${path} is not usable: ${reason}`);
  }
  if (parsed === null) return new Map();
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    throw new ConfigError(`the configuration file ${path} must contain "key: value" lines.`);
  }
  return flatten(parsed, '', new Map());
}

const firstIn = (group: string, keys: readonly string[]) => keys.find(key => key.startsWith(`${group}.`)) ?? '';

function rejectUnknown(file: ReadonlyMap<string, unknown>, path: string, env: NodeJS.ProcessEnv): void {
  const keys = names.map(name => settings[name].key);
  for (const key of file.keys()) {
    if (keys.includes(key)) continue;
    const isGroup = keys.some(known => known.startsWith(`${key}.`));
    if (isGroup) throw new ConfigError(`${path}: "${key}" must contain settings, such as ${firstIn(key, keys)}.`);
    throw new ConfigError(`${path}: there is no setting "${key}".${hintAt(key, keys)}`);
  }
  const variables = names.map(name => settings[name].env);
  for (const prefix of ownPrefixes) rejectUnknownVariables(env, prefix, variables, foreignEnv);
}

export async function readRawConfig(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<RawConfig> {
  const flags = readFlags(argv);
  const path = flags.get('config') ?? env.RECORDPROOF_CONFIG;
  const file = path === undefined ? new Map<string, unknown>() : await readFile(path);
  rejectUnknown(file, path ?? '', env);
  const values = new Map<SettingName, unknown>();
  const sources = new Map<SettingName, Source>();
  const profile = checkPicked(settings.profile, pick(settings.profile, flags, env, file, path));
  for (const name of names) {
    const setting: Setting = settings[name];
    const picked = pick(setting, flags, env, file, path);
    const found = picked[0] === 'default' ? fallBack(setting, profile) : picked;
    values.set(name, checkPicked(setting, found));
    sources.set(name, found[0]);
  }
  return { values, sources };
}

type Picked = [Source, unknown, string];

function checkPicked(setting: Setting, [source, raw, name]: Picked): unknown {
  try {
    return checkSetting(setting, raw, name);
  } catch (error) {
    throw source === 'flag' && error instanceof ConfigError ? new FlagError(error.message) : error;
  }
}

/** The value of the profile, or else the setting's default. */
const fallBack = (setting: Setting, profile: unknown): Picked =>
  profile === 'laptop' && setting.laptop !== undefined
    ? ['profile', setting.laptop, setting.key]
    : ['default', undefined, setting.key];

function pick(
  setting: Setting,
  flags: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
  file: ReadonlyMap<string, unknown>,
  path: string | undefined,
): Picked {
  const flag = setting.flag === undefined ? undefined : flags.get(setting.flag);
  if (flag !== undefined) return ['flag', flag, `--${setting.flag}`];
  const fromEnv = env[setting.env];
  if (fromEnv !== undefined && fromEnv !== '') return ['environment', fromEnv, setting.env];
  if (file.has(setting.key)) return ['file', file.get(setting.key), `${setting.key} in ${path}`];
  return ['default', undefined, setting.key];
}
