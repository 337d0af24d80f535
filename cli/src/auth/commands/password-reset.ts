import { string } from '@oclif/core/flags';
import { resetPassword } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import {
  codeSentNote,
  getEmail,
  getMailCode,
  getNewPassword,
  mailCodeFlag,
  meetServer,
  passwordFlags,
} from '../account.ts';

export default command({
  summary: 'Set a new password with a code sent by e-mail',
  description: 'Every session of the account ends. A script calls twice: first with --email alone, then with the code.',
  examples: [
    { command: 'password reset', description: 'Be asked for everything' },
    {
      command: 'password reset --email alice@example.org < /dev/null',
      description: 'Script, first call: have the code sent',
    },
    {
      command: 'password reset --email alice@example.org --code 123456 --password-stdin < secret.txt',
      description: 'Script, second call: set the password',
    },
  ],
  flags: { email: string({ summary: 'Address of the account.' }), code: mailCodeFlag, ...passwordFlags },
  async run({ flags, context }) {
    await meetServer(context);
    const address = await getEmail(context, flags.email);
    const code = await getMailCode(context, flags.code, address, 'reset');
    if (typeof code !== 'string') return code;
    const password = await getNewPassword(context, flags['password-stdin']);
    await (await context.anonymous()).call(resetPassword, { body: { email: address, code, password } });
    return { passwordSet: true, email: address } as const;
  },
  note: result =>
    'codeSent' in result
      ? codeSentNote(result, 'recordproof password reset --email … --code … --password-stdin')
      : 'The new password is set, and every session has ended. Next: recordproof login',
});
