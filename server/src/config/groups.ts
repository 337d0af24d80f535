// Access to settings as they are read, by name and by group, and groups that are set only as a whole.
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { Secret } from '../platform/secret.ts';
import type { RawConfig, Value } from './read.ts';
import { type SettingName, settings } from './settings.ts';

export type Read = <N extends SettingName>(name: N) => Value<N>;

export const reader =
  (raw: RawConfig): Read =>
  name =>
    raw.values.get(name) as Value<typeof name>;

type Group<Prefix extends string> = {
  [N in SettingName as N extends `${Prefix}${infer Rest}` ? Uncapitalize<Rest> : never]: Value<N>;
};

/** The settings whose names begin with the prefix, by the rest of their names. */
export function toGroup<Prefix extends string>({ values }: RawConfig, prefix: Prefix): Group<Prefix> {
  const members = [...values].filter(([name]) => name.startsWith(prefix));
  const toName = (name: string) => name.charAt(prefix.length).toLowerCase() + name.slice(prefix.length + 1);
  return Object.fromEntries(members.map(([name, value]) => [toName(name), value])) as Group<Prefix>;
}

export const toSecret = (value: string | undefined): Secret | undefined =>
  value === undefined ? undefined : new Secret(value);

/** Whether the group is set; throws if only part of it is. */
export function together<N extends SettingName>(raw: RawConfig, group: string, ...members: N[]): boolean {
  const missing = members.filter(name => raw.values.get(name) === undefined);
  if (missing.length === 0) return true;
  if (missing.length === members.length) return false;
  const envs = missing.map(name => settings[name].env);
  throw new ConfigError(
    `${group} is configured incompletely: ${envs.join(' and ')} ${envs.length === 1 ? 'is' : 'are'} missing.`,
  );
}
