import { me } from '@recordproof/shared/api/auth.ts';
import { command } from '../command.ts';
import { findSession } from '../credentials-file.ts';
import { toTable } from '../output.ts';

export default command({
  summary: 'Show who you are logged in as, and where',
  examples: [
    { command: 'whoami', description: 'Show the account' },
    { command: 'whoami --json', description: 'The same for a script, with all permissions' },
  ],
  async run({ program }) {
    const user = await (await program.session()).call(me);
    const key = await program.sessionKey();
    const saved = program.environmentToken === undefined ? await findSession(program.paths, key) : undefined;
    return { ...key, sessionExpiresAt: saved?.expiresAt ?? null, user };
  },
  text: ({ user, server, profile, sessionExpiresAt }) =>
    toTable([
      ['user', user.nickname === null ? user.username : `${user.username} (${user.nickname})`],
      ['e-mail', user.email],
      ['role', user.role],
      ['id', user.externalId],
      ['server', server],
      ['profile', profile],
      ['session', sessionExpiresAt === null ? 'token from the environment' : `until ${sessionExpiresAt}`],
    ]),
});
