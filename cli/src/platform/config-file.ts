// config.json: the profiles and the settings of each. Unknown keys and values are errors that name them. It holds no secret,
// but an attacker who could change it could send passwords to another server.

import { resolve } from 'node:path';
import { CommandError } from './command-error.ts';
import type { Paths } from './folders.ts';
import { alone } from './lock.ts';
import { isRecord, parseJsonFile, readPrivate, writePrivate } from './private-file.ts';
import { parseServerUrl } from './server-url.ts';

/** From the text of a setting to its stored value. Throws CommandError with the allowed values. */
export const settingParsers = {
  server: parseServerUrl,
  timeout: (text: string): number => {
    const seconds = Number(text);
    if (/^[0-9]{1,4}$/.test(text) && seconds >= 1 && seconds <= 3600) return seconds;
    throw new CommandError('usage', `timeout must be a whole number of seconds from 1 to 3600, not "${text}"`);
  },
  /** Relative to the folder in which it was set. */
  ca: (path: string): string => {
    if (path === '') throw new CommandError('usage', 'ca must be the path of a file of certificates in PEM');
    return resolve(path);
  },
};

export type SettingName = keyof typeof settingParsers;
export const settingNames = Object.keys(settingParsers) as SettingName[];

export type Profile = { readonly server?: string; readonly timeout?: number; readonly ca?: string };
export type ConfigFile = { readonly profile: string; readonly profiles: ReadonlyMap<string, Profile> };

export const defaultProfile = 'default';
const empty: ConfigFile = { profile: defaultProfile, profiles: new Map([[defaultProfile, {}]]) };

export function parseProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(name)) return name;
  throw new CommandError(
    'usage',
    'a profile name is 1 to 32 letters, digits, or . _ - and begins with a letter or digit',
  );
}

/** An error in the file is reported with its path, not as an error of the command line. */
function inFile<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new CommandError('config', `${where}: ${(cause as Error).message}`, { cause });
  }
}

function parseProfile(where: string, value: unknown): Profile {
  if (!isRecord(value)) throw new CommandError('config', `${where} must be an object`);
  let profile: Profile = {};
  for (const [key, setting] of Object.entries(value)) {
    if (!Object.hasOwn(settingParsers, key)) throw new CommandError('config', `${where} has an unknown key "${key}"`);
    const parse = settingParsers[key as SettingName];
    profile = { ...profile, [key]: inFile(`${where}.${key}`, () => parse(String(setting))) };
  }
  return profile;
}

function parseConfig(path: string, text: string): ConfigFile {
  const value = parseJsonFile(path, text);
  const { profile = defaultProfile, profiles = {}, ...unknown } = value;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) throw new CommandError('config', `${path} has an unknown key "${stranger}"`);
  if (!isRecord(profiles)) throw new CommandError('config', `${path}: profiles must be an object`);
  const parsed = new Map<string, Profile>([[defaultProfile, {}]]);
  for (const [name, settings] of Object.entries(profiles)) {
    inFile(path, () => parseProfileName(name));
    parsed.set(name, parseProfile(`${path}: profiles.${name}`, settings));
  }
  if (typeof profile !== 'string' || !parsed.has(profile)) {
    throw new CommandError('config', `${path}: the profile ${JSON.stringify(profile)} is not among its profiles`, {
      try: `name one of: ${[...parsed.keys()].join(', ')}`,
    });
  }
  return { profile, profiles: parsed };
}

export async function readConfig(paths: Paths): Promise<ConfigFile> {
  const text = await readPrivate(paths.config, 'writers');
  return text === undefined ? empty : parseConfig(paths.config, text);
}

/** Reads, changes and writes back, under the lock of all runs. */
export function changeConfig(paths: Paths, change: (config: ConfigFile) => ConfigFile): Promise<ConfigFile> {
  return alone(`${paths.config}.lock`, async () => {
    const config = change(await readConfig(paths));
    const kept = { profile: config.profile, profiles: Object.fromEntries(config.profiles) };
    await writePrivate(paths.config, `${JSON.stringify(kept, null, 2)}\n`);
    return config;
  });
}

export const withProfile = (config: ConfigFile, name: string, profile: Profile): ConfigFile => ({
  ...config,
  profiles: new Map(config.profiles).set(name, profile),
});

export function getProfile(config: ConfigFile, name: string): Profile {
  const profile = config.profiles.get(name);
  if (profile) return profile;
  throw new CommandError('usage', `there is no profile "${name}"`, {
    try: 'recordproof profiles list, or: recordproof profiles add',
  });
}
