import { custom } from '@oclif/core/args';
import { type SettingName, settingNames } from '../platform/config-file.ts';

/** The first argument of `config get|set|unset`. */
export const settingArgument = custom<SettingName>({
  description: 'Name of the setting.',
  options: settingNames,
  required: true,
  parse: async text => text as SettingName,
})({ required: true });
