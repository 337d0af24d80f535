import { me } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import { findSession } from '../../platform/credentials-file.ts';
import { toMinute } from '../../platform/output.ts';
import { alignRows } from '../../platform/table.ts';

export default command({
  summary: 'Show who you are logged in as, and where',
  examples: [
    { command: 'whoami', description: 'Show the account' },
    { command: 'whoami --json', description: 'The same for a script, with all permissions' },
  ],
  async run({ context }) {
    const user = await (await context.session()).call(me);
    const key = await context.sessionKey();
    const saved = context.environmentToken === undefined ? await findSession(context.paths, key) : undefined;
    return { ...key, sessionExpiresAt: saved?.expiresAt ?? null, user };
  },
  text: ({ user, server, profile, sessionExpiresAt }) =>
    alignRows([
      ['user', user.nickname === null ? user.username : `${user.username} (${user.nickname})`],
      ['e-mail', user.email],
      ['role', user.role],
      ['id', user.externalId],
      ['server', server],
      ['profile', profile],
      ['session', sessionExpiresAt === null ? 'token from the environment' : `until ${toMinute(sessionExpiresAt)} UTC`],
    ]),
});
