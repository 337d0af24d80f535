// Commands under `config`.
import { string as argument, custom } from '@oclif/core/args';
import { command } from '../platform/command.ts';
import {
  changeConfig,
  getProfile,
  type SettingName,
  settingNames,
  settingParsers,
  withProfile,
} from '../platform/config-file.ts';
import { alignRows } from '../platform/table.ts';

/** The first argument of `config get|set|unset`. */
const settingArgument = custom<SettingName>({
  description: 'Name of the setting.',
  options: settingNames,
  required: true,
  parse: async text => text as SettingName,
})({ required: true });

export const list = command({
  summary: 'Print every effective setting and its source',
  examples: [{ command: 'config list', description: 'All effective settings' }],
  run: async ({ context }) => context.settings(),
  text: settings =>
    alignRows(Object.entries(settings).map(([name, { value, source }]) => [name, String(value), `(${source})`])),
});

export const get = command({
  summary: 'Print one effective setting',
  examples: [{ command: 'config get server', description: 'The server in use' }],
  args: { name: settingArgument },
  async run({ args, context }) {
    const { value, source } = (await context.settings())[args.name];
    return { name: args.name, value, source };
  },
  text: ({ value }) => String(value),
});

export const set = command({
  summary: 'Set a setting of the profile',
  description: 'Of the profile in use, or of the one that --profile names.',
  examples: [
    { command: 'config set server https://proof.example.org', description: 'Choose the server' },
    { command: 'config set timeout 120', description: 'Wait up to two minutes for an answer' },
  ],
  args: { name: settingArgument, value: argument({ description: 'The new value.', required: true }) },
  async run({ args, context }) {
    const value = settingParsers[args.name](args.value);
    const profile = (await context.settings()).profile.value;
    await changeConfig(context.paths, config =>
      withProfile(config, profile, { ...getProfile(config, profile), [args.name]: value }),
    );
    return { profile, name: args.name, value };
  },
  note: ({ profile, name, value }) => `${name} of profile "${profile}" is now ${value}.`,
});

export const unset = command({
  summary: 'Reset a setting of the profile to its default',
  examples: [{ command: 'config unset timeout', description: 'Use the default time limit again' }],
  args: { name: settingArgument },
  async run({ args, context }) {
    const profile = (await context.settings()).profile.value;
    await changeConfig(context.paths, config => {
      const { [args.name]: _gone, ...kept } = getProfile(config, profile);
      return withProfile(config, profile, kept);
    });
    return { profile, name: args.name };
  },
  note: ({ profile, name }) => `${name} of profile "${profile}" is back to its default.`,
});

export const path = command({
  summary: 'Print the path of the settings file',
  description: 'Works even when the file is broken.',
  examples: [{ command: 'config path', description: 'The path of config.json' }],
  run: async ({ context }) => context.paths,
  text: paths => paths.config,
});
