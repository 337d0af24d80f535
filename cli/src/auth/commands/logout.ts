import { boolean } from '@oclif/core/flags';
import { logout } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import type { CommandContext } from '../../platform/command-context.ts';
import { findSession, replaceSession } from '../../platform/credentials-file.ts';
import { Fixable } from '../../platform/fixable.ts';

/** A session that the server has ended already is what was wished for. */
async function endAtServer(context: CommandContext, everywhere: boolean): Promise<boolean> {
  try {
    await (await context.session()).call(logout, { body: { everywhere } });
    return true;
  } catch (error) {
    if (error instanceof Fixable && error.ending === 'denied') return false;
    throw error;
  }
}

export default command({
  summary: 'End the session, here and at the server',
  examples: [
    { command: 'logout', description: 'End the session of this machine' },
    { command: 'logout --everywhere', description: 'End every session of the account, on all machines' },
    { command: 'logout --local', description: 'Only forget the session here, when the server is gone' },
  ],
  flags: {
    everywhere: boolean({ summary: 'End every session of the account.' }),
    local: boolean({ summary: 'Do not tell the server.', exclusive: ['everywhere'] }),
  },
  async run({ flags, context }) {
    const key = await context.sessionKey();
    const saved = context.environmentToken === undefined ? await findSession(context.paths, key) : undefined;
    const wasLoggedIn = saved !== undefined || context.environmentToken !== undefined;
    const endedAtServer = wasLoggedIn && !flags.local && (await endAtServer(context, flags.everywhere));
    if (saved) await replaceSession(context.paths, key, () => undefined);
    return { ...key, wasLoggedIn, endedAtServer, everywhere: endedAtServer && flags.everywhere };
  },
  note(result) {
    if (!result.wasLoggedIn) return `You were not logged in to ${result.server}.`;
    if (result.everywhere) return `Every session of the account at ${result.server} has ended.`;
    return result.endedAtServer
      ? `Logged out of ${result.server}.`
      : `The session at ${result.server} is forgotten here.`;
  },
});
