// The table of every setting: its key in a configuration file, where else it may come from, what it accepts.
// A setting that is not in this table does not exist: an unknown key stops the start.
import type { Setting } from '@recordproof/shared/settings/setting.ts';
import { doorSettings } from './settings/doors.ts';
import { evidenceSettings } from './settings/evidence.ts';
import { governanceSettings } from './settings/governance.ts';
import { keySettings } from './settings/keys.ts';
import { operationSettings } from './settings/operation.ts';
import { peopleSettings } from './settings/people.ts';
import { storeSettings } from './settings/stores.ts';
import { suiteSettings } from './suite-settings.ts';

export const settings = {
  ...doorSettings,
  ...storeSettings,
  ...keySettings,
  ...suiteSettings,
  ...peopleSettings,
  ...evidenceSettings,
  ...governanceSettings,
  ...operationSettings,
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
