import { command } from '../../platform/command.ts';
import { readConfig } from '../../platform/config-file.ts';
import { listSessions } from '../../platform/credentials-file.ts';
import { defaultServer } from '../../platform/server-url.ts';
import { linesOf, name } from '../../platform/table.ts';

type Listed = {
  readonly name: string;
  readonly server: string;
  readonly inUse: boolean;
  readonly hasSession: boolean;
};

export default command({
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
    SESSION: profile => (profile.hasSession ? 'logged in' : ''),
  }),
});
