import { string } from '@oclif/core/args';
import { command } from '../../platform/command.ts';
import { changeConfig, getProfile, settingParsers, withProfile } from '../../platform/config-file.ts';
import { settingArgument } from '../setting-argument.ts';

export default command({
  summary: 'Set a setting of the profile',
  description: 'Of the profile in use, or of the one that --profile names.',
  examples: [
    { command: 'config set server https://proof.example.org', description: 'Choose the server' },
    { command: 'config set timeout 120', description: 'Wait up to two minutes for an answer' },
  ],
  args: { name: settingArgument, value: string({ description: 'The new value.', required: true }) },
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
