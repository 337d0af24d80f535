import { command } from '../../command.ts';
import { readConfig } from '../../config-file.ts';
import { listSessions } from '../../credentials-file.ts';
import { toTable } from '../../output.ts';
import { defaultServer } from '../../server-url.ts';

export default command({
  summary: 'List the profiles',
  examples: [{ command: 'profiles list', description: 'Which servers and accounts are there? * is in use' }],
  async run({ program }) {
    const { profile: inForce } = await program.settings();
    const sessions = await listSessions(program.paths);
    return [...(await readConfig(program.paths)).profiles].map(([name, { server = defaultServer }]) => ({
      name,
      server,
      inUse: name === inForce.value,
      hasSession: sessions.some(session => session.profile === name && session.server === server),
    }));
  },
  text: profiles =>
    toTable(
      profiles.map(profile => [
        profile.inUse ? '*' : ' ',
        profile.name,
        profile.server,
        profile.hasSession ? 'logged in' : '',
      ]),
    ),
});
