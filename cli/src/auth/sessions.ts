// Commands under `sessions`: lists where the account is signed in, and ends sessions.
import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { endOneSession, endOtherSessions, type LiveSession, listSessions } from '@recordproof/shared/api/sessions.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { toMinute } from '../platform/output.ts';
import { extra, name, tableOf } from '../platform/table.ts';

const sessionLines = tableOf<LiveSession>({
  ID: session => session.id,
  DEVICE: name(session => session.device || 'unknown'),
  ADDRESS: session => session.address,
  'LAST USED': session => (session.current ? 'now (this one)' : toMinute(session.lastUsedAt)),
  'SIGNED IN': extra(session => toMinute(session.createdAt)),
  EXPIRES: extra(session => toMinute(session.expiresAt)),
});

export const list = command({
  summary: 'List your sessions, the last used first',
  examples: [{ command: 'sessions list', description: 'With device, address and last use' }],
  run: async ({ context }) => (await context.session()).call(listSessions),
  text: sessionLines,
});

export const end = command({
  summary: 'End one of your sessions, or all but this one',
  description: 'Its device has to sign in again. To end this session: recordproof logout.',
  examples: [
    { command: 'sessions end 42', description: 'One, by its id' },
    { command: 'sessions end --others', description: 'All but this one, after a question' },
  ],
  args: { id: argument({ description: 'The session: its id.' }) },
  flags: { others: boolean({ summary: 'End every session but this one.' }), yes: yesFlag },
  async run({ args, flags, context }) {
    if ((args.id === undefined) === !flags.others)
      throw new CommandError('usage', 'name one session, or --others', { try: 'recordproof sessions list' });
    const session = await context.session();
    if (args.id !== undefined) {
      await session.call(endOneSession, { params: { id: parseField('Id', recordId, args.id) } });
      return { ended: 1 };
    }
    if (!flags.yes) await confirm(context, 'End every session but this one?', 'no session was ended');
    return session.call(endOtherSessions);
  },
  note: ({ ended }) => (ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`),
});
