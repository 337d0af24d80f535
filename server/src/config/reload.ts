// Settings that a running server applies on SIGHUP. Code reads them from the configuration on each use, so they are
// replaced in place; the others need a restart and are reported.
import type { Config } from './config.ts';
import { type SettingName, settings } from './settings.ts';

type Section = {
  readonly names: readonly SettingName[];
  readonly takeOver: (into: Config, from: Config) => void;
};

const names = Object.keys(settings) as SettingName[];
const namesOf = (prefix: string): SettingName[] => names.filter(name => name.startsWith(prefix));

const sections: readonly Section[] = [
  {
    names: ['logLevel'],
    takeOver: (into, from) => Object.assign(into.log, from.log),
  },
  {
    names: namesOf('rate'),
    takeOver: (into, from) => Object.assign(into.ratesPerMinute, from.ratesPerMinute),
  },
  {
    names: ['quotaMode', 'quotaUserBytes', 'quotaUserFiles', 'quotaTenantBytes', 'quotaTenantFiles'],
    takeOver: (into, from) => Object.assign(into.quota, from.quota),
  },
  {
    names: ['registration', 'registrationDomains'],
    takeOver: (into, { accounts: { registration } }) => Object.assign(into.accounts, { registration }),
  },
  {
    names: ['mailCodeIntervalSeconds'],
    takeOver: (into, { accounts: { mailCodeIntervalSeconds } }) =>
      Object.assign(into.accounts, { mailCodeIntervalSeconds }),
  },
  {
    names: ['smtpUrl', 'mailFrom', 'mailLanguage'],
    takeOver: (into, { mail }) => Object.assign(into, { mail }),
  },
  {
    names: ['filesRetentionDays'],
    takeOver: (into, { files: { retentionDays } }) => Object.assign(into.files, { retentionDays }),
  },
  {
    names: ['uploadsSessionHours', 'uploadsUrlHours'],
    takeOver: (into, { uploads: { sessionHours, urlHours } }) =>
      Object.assign(into.uploads, { sessionHours, urlHours }),
  },
  {
    names: ['eventsMaxStreams'],
    takeOver: (into, from) => Object.assign(into.events, from.events),
  },
  {
    names: ['sweepMarkEnabled', 'sweepDeleteEnabled', 'sweepProtectionDays'],
    takeOver: (into, { sweep: { markEnabled, deleteEnabled, protectionDays } }) =>
      Object.assign(into.sweep, { markEnabled, deleteEnabled, protectionDays }),
  },
  {
    names: namesOf('health').filter(name => name !== 'healthBackupMaxAgeHours'),
    takeOver: (into, { health: { backupMaxAgeHours: _needsRestart, ...limits } }) => Object.assign(into.health, limits),
  },
];

export const reloadableSettings: readonly SettingName[] = sections.flatMap(section => section.names);

/** The effective values by setting. */
type Values = ReadonlyMap<SettingName, unknown>;

type Reloaded = {
  /** The effective values now. */
  readonly values: Values;
  /** Keys of settings that were applied, and of those that need a restart. */
  readonly applied: readonly string[];
  readonly needsRestart: readonly string[];
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Changes `running` in place. */
export function takeOver(
  running: { readonly config: Config; readonly values: Values },
  read: { readonly config: Config; readonly values: Values },
): Reloaded {
  const changed = names.filter(name => !isSame(running.values.get(name), read.values.get(name)));
  const applied = changed.filter(name => reloadableSettings.includes(name));
  for (const section of sections)
    if (section.names.some(name => applied.includes(name))) section.takeOver(running.config, read.config);
  const toKey = (name: SettingName): string => settings[name].key;
  return {
    values: new Map([...running.values, ...applied.map(name => [name, read.values.get(name)] as const)]),
    applied: applied.map(toKey),
    needsRestart: changed.filter(name => !applied.includes(name)).map(toKey),
  };
}
