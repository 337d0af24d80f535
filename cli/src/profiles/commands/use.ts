import { command } from '../../platform/command.ts';
import { changeConfig, getProfile } from '../../platform/config-file.ts';
import { profileArgument } from '../profile-argument.ts';

export default command({
  summary: 'Use this profile from now on',
  examples: [{ command: 'profiles use work', description: 'Switch to the profile "work"' }],
  args: { name: profileArgument },
  async run({ args, context }) {
    await changeConfig(context.paths, config => {
      getProfile(config, args.name);
      return { ...config, profile: args.name };
    });
    return { profile: args.name };
  },
  note: ({ profile }) => `Profile "${profile}" is in use.`,
});
