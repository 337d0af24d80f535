import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { command } from '../../platform/command.ts';
import { changeConfig, parseProfileName, withProfile } from '../../platform/config-file.ts';
import { Fixable } from '../../platform/fixable.ts';
import { parseServerUrl } from '../../platform/server-url.ts';
import { profileArgument } from '../profile-argument.ts';

export default command({
  summary: 'Add a profile for another server or account',
  examples: [
    { command: 'profiles add work https://proof.example.org', description: 'Add a profile' },
    { command: 'profiles add work https://proof.example.org --use', description: 'Add it and use it from now on' },
  ],
  args: { name: profileArgument, address: string({ description: 'Address of its server.', required: true }) },
  flags: { use: boolean({ summary: 'Use it from now on.' }) },
  async run({ args, flags, context }) {
    const name = parseProfileName(args.name);
    const server = parseServerUrl(args.address);
    await changeConfig(context.paths, config => {
      if (config.profiles.has(name)) {
        throw new Fixable('refused', `there is a profile "${name}" already`, {
          try: `recordproof config set server ${server} --profile ${name}`,
        });
      }
      return { ...withProfile(config, name, { server }), profile: flags.use ? name : config.profile };
    });
    return { name, server, inUse: flags.use };
  },
  note: ({ name, inUse }) =>
    `Profile "${name}" is there${inUse ? ' and in use' : ''}. Next: recordproof login${inUse ? '' : ` --profile ${name}`}`,
});
