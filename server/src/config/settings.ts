// Registry of all server settings: key in the configuration file, other sources, accepted values. An unknown key stops
// the start.
import type { Setting } from '@recordproof/shared/settings/setting.ts';
import { backingServiceSettings } from './settings/backing-services.ts';
import { evidenceSettings } from './settings/evidence.ts';
import { governanceSettings } from './settings/governance.ts';
import { httpSettings } from './settings/http.ts';
import { keySettings } from './settings/keys.ts';
import { operationSettings } from './settings/operation.ts';
import { peopleSettings } from './settings/people.ts';
import { suiteSettings } from './suite-settings.ts';

export const settings = {
  ...httpSettings,
  ...backingServiceSettings,
  ...keySettings,
  ...suiteSettings,
  ...peopleSettings,
  ...evidenceSettings,
  ...governanceSettings,
  ...operationSettings,
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
