import { command } from '../../command.ts';
import { changeConfig, getProfile, withProfile } from '../../config-file.ts';
import { settingArgument } from '../../setting-argument.ts';

export default command({
  summary: 'Take a setting of the profile back to its default',
  examples: [{ command: 'config unset timeout', description: 'Wait as long as usual again' }],
  args: { name: settingArgument },
  async run({ args, program }) {
    const profile = (await program.settings()).profile.value;
    await changeConfig(program.paths, config => {
      const { [args.name]: _gone, ...kept } = getProfile(config, profile);
      return withProfile(config, profile, kept);
    });
    return { profile, name: args.name };
  },
  note: ({ profile, name }) => `${name} of profile "${profile}" is back to its default.`,
});
