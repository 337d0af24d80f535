// Commands under `profiles`.
import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { unpinKeysOfProfile } from '../keys/pinned-keys.ts';
import { completedBy } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import {
  changeConfig,
  defaultProfile,
  getProfile,
  parseProfileName,
  readConfig,
  withProfile,
} from '../platform/config-file.ts';
import { listSessions, removeSessionsOfProfile } from '../platform/credentials-file.ts';
import { defaultServer, parseServerUrl } from '../platform/server-url.ts';
import { linesOf, name } from '../platform/table.ts';

/** The argument that names a profile. */
const profileArgument = argument({
  description: 'Name of the profile.',
  required: true,
  ...completedBy('profiles'),
});

type Listed = {
  readonly name: string;
  readonly server: string;
  readonly inUse: boolean;
  readonly hasSession: boolean;
};

export const list = command({
  summary: 'List the profiles',
  examples: [{ command: 'profiles list', description: 'Which servers and accounts are there? * is in use' }],
  async run({ context }) {
    const { profile: inForce } = await context.settings();
    const sessions = await listSessions(context.paths);
    return [...(await readConfig(context.paths)).profiles].map(([name, { server = defaultServer }]) => ({
      name,
      server,
      inUse: name === inForce.value,
      hasSession: sessions.some(session => session.profile === name && session.server === server),
    }));
  },
  text: linesOf<Listed>({
    '': profile => (profile.inUse ? '*' : ' '),
    NAME: profile => profile.name,
    SERVER: name(profile => profile.server),
    SESSION: profile => (profile.hasSession ? 'signed in' : ''),
  }),
});

export const add = command({
  summary: 'Add a profile for another server or account',
  examples: [
    { command: 'profiles add work https://proof.example.org', description: 'Add a profile' },
    { command: 'profiles add work https://proof.example.org --use', description: 'Add it and use it from now on' },
  ],
  args: { name: profileArgument, address: argument({ description: 'Address of its server.', required: true }) },
  flags: { use: boolean({ summary: 'Use it from now on.' }) },
  async run({ args, flags, context }) {
    const name = parseProfileName(args.name);
    const server = parseServerUrl(args.address);
    await changeConfig(context.paths, config => {
      if (config.profiles.has(name)) {
        throw new CommandError('refused', `there is a profile "${name}" already`, {
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

export const use = command({
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

export const remove = command({
  summary: 'Remove a profile and its sessions from this machine',
  description: 'The server is not called: run logout first to end the session there too.',
  examples: [{ command: 'profiles remove work', description: 'Forget the profile "work"' }],
  args: { name: profileArgument },
  async run({ args: { name }, context }) {
    if (name === defaultProfile)
      throw new CommandError('refused', `the profile "${name}" cannot be removed; only its settings can be reset`, {
        try: 'recordproof config unset server',
      });
    await changeConfig(context.paths, config => {
      getProfile(config, name);
      if (config.profile === name) {
        throw new CommandError('refused', `the profile "${name}" is in use; switch to another one first`, {
          try: `recordproof profiles use default, and then: recordproof profiles remove ${name}`,
        });
      }
      return { ...config, profiles: new Map([...config.profiles].filter(([other]) => other !== name)) };
    });
    await removeSessionsOfProfile(context.paths, name);
    await unpinKeysOfProfile(context.paths, name);
    return { removed: name };
  },
  note: ({ removed }) => `Profile "${removed}" was removed.`,
});
