import { unpinKeysOfProfile } from '../../keys/pinned-keys.ts';
import { command } from '../../platform/command.ts';
import { changeConfig, defaultProfile, getProfile } from '../../platform/config-file.ts';
import { removeSessionsOfProfile } from '../../platform/credentials-file.ts';
import { Fixable } from '../../platform/fixable.ts';
import { profileArgument } from '../profile-argument.ts';

export default command({
  summary: 'Remove a profile and its sessions from this machine',
  description: 'The server is not told: run logout first to end the session there too.',
  examples: [{ command: 'profiles remove work', description: 'Forget the profile "work"' }],
  args: { name: profileArgument },
  async run({ args: { name }, context }) {
    if (name === defaultProfile)
      throw new Fixable('refused', `the profile "${name}" is always there; only its settings can be taken back`, {
        try: 'recordproof config unset server',
      });
    await changeConfig(context.paths, config => {
      getProfile(config, name);
      if (config.profile === name) {
        throw new Fixable(
          'refused',
          `the profile "${name}" is in use, and something has to be; use another one first`,
          {
            try: `recordproof profiles use default, and then: recordproof profiles remove ${name}`,
          },
        );
      }
      return { ...config, profiles: new Map([...config.profiles].filter(([other]) => other !== name)) };
    });
    await removeSessionsOfProfile(context.paths, name);
    await unpinKeysOfProfile(context.paths, name);
    return { removed: name };
  },
  note: ({ removed }) => `Profile "${removed}" is gone.`,
});
