import { boolean, string } from '@oclif/core/flags';
import { nickname, register, username } from '@recordproof/shared/api/auth.ts';
import {
  codeSentNote,
  getEmail,
  getField,
  getMailCode,
  getNewPassword,
  logIn,
  mailCodeFlag,
  parseField,
  passwordFlags,
  warnOfPlainText,
} from '../account.ts';
import { command } from '../command.ts';

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
  async run({ flags, program }) {
    await warnOfPlainText(program);
    const address = await getEmail(program, flags.email);
    const called = flags.nickname === undefined ? undefined : parseField('Nickname', nickname, flags.nickname);
    const code = await getMailCode(program, flags.code, address, 'register');
    if (typeof code !== 'string') return code;
    const name = await getField(program, flags.username, { name: 'User name', flag: '--username', schema: username });
    const secret = await getNewPassword(program, flags['password-stdin']);
    const body = { email: address, code, username: name, password: secret, ...(called && { nickname: called }) };
    const user = await (await program.anonymous()).call(register, { body });
    return { user, session: flags['no-login'] ? null : await logIn(program, name, secret) };
  },
  note(result) {
    if ('codeSent' in result) {
      return codeSentNote(result, 'recordproof register --email … --code … --username … --password-stdin');
    }
    const opened = `The account ${result.user.username} is open.`;
    return result.session ? `${opened} You are logged in to ${result.session.server}.` : opened;
  },
});
