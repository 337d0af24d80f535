import { command } from '../../platform/command.ts';
import { changeConfig, getProfile, withProfile } from '../../platform/config-file.ts';
import { settingArgument } from '../setting-argument.ts';

export default command({
  summary: 'Take a setting of the profile back to its default',
  examples: [{ command: 'config unset timeout', description: 'Wait as long as usual again' }],
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
