// `register`: opens an account with a mailed code, with an invitation, or with both.
import type { Interfaces } from '@oclif/core';
import { boolean, string } from '@oclif/core/flags';
import { nickname, type Profile, register as registerAccount, username } from '@recordproof/shared/api/auth.ts';
import {
  acceptInvitation,
  invitationCode,
  readInvitation,
  requestInvitedMailCode,
} from '@recordproof/shared/api/invitations.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { getField, parseField } from '../platform/fields.ts';
import {
  checkServer,
  codeSentNote,
  getEmail,
  getMailCode,
  getNewPassword,
  getRequestedCode,
  logIn,
  mailCodeFlag,
  passwordFlags,
} from './account.ts';

const flags = {
  invitation: string({ helpValue: '<link>', summary: 'The link or the code of an invitation.' }),
  email: string({ summary: 'Where the code is sent.' }),
  code: mailCodeFlag,
  username: string({
    summary: '3 to 32 letters (Latin, Chinese, Japanese or Korean), digits, dots, hyphens or underscores.',
  }),
  nickname: string({ summary: 'Shown to others besides the user name.' }),
  ...passwordFlags,
  'no-login': boolean({ summary: 'Only open the account.' }),
};

type RegisterFlags = Interfaces.InferredFlags<typeof flags>;

async function getAccountFields(context: CommandContext, flags: RegisterFlags) {
  const called = flags.nickname === undefined ? undefined : parseField('Nickname', nickname, flags.nickname);
  const name = await getField(context, flags.username, { name: 'User name', flag: '--username', schema: username });
  const password = await getNewPassword(context, flags['password-stdin']);
  return { username: name, password, ...(called && { nickname: called }) };
}

type Opened = { readonly user: Profile; readonly password: string };

async function registerByCode(context: CommandContext, flags: RegisterFlags) {
  const email = await getEmail(context, flags.email);
  const code = await getMailCode(context, flags.code, email, 'register');
  if (typeof code !== 'string') return code;
  const fields = await getAccountFields(context, flags);
  const user = await (await context.anonymous()).call(registerAccount, { body: { email, code, ...fields } });
  return { user, password: fields.password } satisfies Opened;
}

/** A mailed invitation is for its address; with another the address is confirmed by a code. */
async function registerByInvitation(context: CommandContext, flags: RegisterFlags, input: string) {
  const client = await context.anonymous();
  const invitation = parseField('Invitation', invitationCode, input);
  const invited = await client.call(readInvitation, { body: { invitation } });
  const proof: { email?: string; code?: string } = {};
  if (invited.email === null) {
    const email = await getEmail(context, flags.email);
    const request = () => client.call(requestInvitedMailCode, { body: { invitation, email } });
    const code = await getRequestedCode(context, flags.code, email, request);
    if (typeof code !== 'string') return code;
    Object.assign(proof, { email, code });
  }
  const fields = await getAccountFields(context, flags);
  const user = await client.call(acceptInvitation, { body: { invitation, ...proof, ...fields } });
  return { user, password: fields.password } satisfies Opened;
}

export const register = command({
  summary: 'Open an account',
  description:
    'Has a code sent to your e-mail address, asks for it, for a user name and for a password, and logs you in. A script calls twice: first with --email alone, then with the code. Where registration is by invitation, give its link with --invitation; if it was mailed to you, no code is needed.',
  examples: [
    { command: 'register', description: 'Be asked for everything' },
    {
      command: 'register --email alice@example.org < /dev/null',
      description: 'Script, first call: have the code sent',
    },
    {
      command: 'register --email alice@example.org --code 123456 --username alice --password-stdin < secret.txt',
      description: 'Script, second call: open the account',
    },
    { command: 'register --invitation <link>', description: 'Accept an invitation' },
  ],
  flags,
  async run({ flags, context }) {
    await checkServer(context);
    const { invitation } = flags;
    const opened =
      invitation === undefined
        ? await registerByCode(context, flags)
        : await registerByInvitation(context, flags, invitation);
    if ('codeSent' in opened) return opened;
    const { user, password } = opened;
    // A user name alone may belong to another tenant.
    const loginName = invitation === undefined ? user.username : user.email;
    return { user, session: flags['no-login'] ? null : await logIn(context, loginName, password) };
  },
  note(result) {
    if ('codeSent' in result) {
      return codeSentNote(result, 'the same command with --code … --username … --password-stdin');
    }
    const { username: name, signInName } = result.user;
    const opened = `The account ${name} is open${signInName === undefined ? '' : `; sign in as ${signInName}`}.`;
    return result.session ? `${opened} You are signed in to ${result.session.server}.` : opened;
  },
});
