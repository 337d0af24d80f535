import { boolean, string } from '@oclif/core/flags';
import { nickname, register, username } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import { getField, parseField } from '../../platform/fields.ts';
import {
  codeSentNote,
  getEmail,
  getMailCode,
  getNewPassword,
  logIn,
  mailCodeFlag,
  meetServer,
  passwordFlags,
} from '../account.ts';

export default command({
  summary: 'Open an account',
  description:
    'Has a code sent to your e-mail address, asks for it, for a user name and for a password, and logs you in. A script calls twice: first with --email alone, then with the code.',
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
  ],
  flags: {
    email: string({ summary: 'Where the code is sent.' }),
    code: mailCodeFlag,
    username: string({
      summary: '3 to 32 letters (Latin, Chinese, Japanese or Korean), digits, dots, hyphens or underscores.',
    }),
    nickname: string({ summary: 'What others see besides the user name.' }),
    ...passwordFlags,
    'no-login': boolean({ summary: 'Only open the account.' }),
  },
  async run({ flags, context }) {
    await meetServer(context);
    const address = await getEmail(context, flags.email);
    const called = flags.nickname === undefined ? undefined : parseField('Nickname', nickname, flags.nickname);
    const code = await getMailCode(context, flags.code, address, 'register');
    if (typeof code !== 'string') return code;
    const name = await getField(context, flags.username, { name: 'User name', flag: '--username', schema: username });
    const secret = await getNewPassword(context, flags['password-stdin']);
    const body = { email: address, code, username: name, password: secret, ...(called && { nickname: called }) };
    const user = await (await context.anonymous()).call(register, { body });
    return { user, session: flags['no-login'] ? null : await logIn(context, name, secret) };
  },
  note(result) {
    if ('codeSent' in result) {
      return codeSentNote(result, 'recordproof register --email … --code … --username … --password-stdin');
    }
    const opened = `The account ${result.user.username} is open.`;
    return result.session ? `${opened} You are logged in to ${result.session.server}.` : opened;
  },
});
