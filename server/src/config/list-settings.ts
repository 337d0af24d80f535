// Lists of the effective settings and of the differences between profiles.
import type { Setting } from '@recordproof/shared/settings/setting.ts';
import { readChecked } from './config.ts';
import { type SettingName, settings } from './settings.ts';

type ShownSetting = { key: string; env: string; value: string; source: string; group: string; help: string };

/** All effective settings, for people: of a secret only that it is set. */
export async function listSettings(argv: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<ShownSetting[]> {
  const { raw } = await readChecked(argv, env);
  return (Object.keys(settings) as SettingName[]).map(name => {
    const setting: Setting = settings[name];
    const value = raw.values.get(name);
    return {
      key: setting.key,
      env: setting.env,
      value: toShown(setting, value),
      source: raw.sources.get(name) ?? 'default',
      group: setting.group,
      help: setting.help,
    };
  });
}

type ProfileDifference = { key: string; env: string; server: string; laptop: string; help: string };

/** Settings whose defaults differ between the profiles. */
export const listProfileDifferences = (): ProfileDifference[] =>
  Object.values<Setting>(settings)
    .filter(({ laptop }) => laptop !== undefined)
    .map(({ key, env, help, laptop, schema }) => ({
      key,
      env,
      server: String(schema.parse(undefined)),
      laptop: String(laptop),
      help,
    }));

const toText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function toShown(setting: Setting, value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (setting.secret) return '(set)';
  return (Array.isArray(value) ? value : [value]).map(toText).join(',');
}
