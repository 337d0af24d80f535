import { boolean, string } from '@oclif/core/flags';
import { setUp, setupCode as setupCodeSchema, username } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import { getField } from '../../platform/fields.ts';
import { getEmail, getNewPassword, logIn, meetServer, passwordFlags } from '../account.ts';

export default command({
  summary: 'Create the first administrator of a fresh server',
  description: 'Takes the one-time code that the server printed when it was started. Logs the administrator in.',
  examples: [
    { command: 'setup', description: 'Be asked for everything' },
    {
      command:
        'setup --code q7Rk2VnX94mBsLd1TzFw --username root --email root@example.org --password-stdin < secret.txt',
      description: 'Set a server up from a script',
    },
  ],
  flags: {
    code: string({ summary: 'The set-up code the server printed.' }),
    username: string({
      summary: '3 to 32 letters (Latin, Chinese, Japanese or Korean), digits, dots, hyphens or underscores.',
    }),
    email: string({ summary: 'E-mail address of the administrator.' }),
    ...passwordFlags,
    'no-login': boolean({ summary: 'Only create the administrator.' }),
  },
  async run({ flags, context }) {
    await meetServer(context);
    const codeField = { name: 'Set-up code', flag: '--code', schema: setupCodeSchema };
    const setupCode = await getField(context, flags.code, codeField);
    const name = await getField(context, flags.username, { name: 'User name', flag: '--username', schema: username });
    const address = await getEmail(context, flags.email);
    const secret = await getNewPassword(context, flags['password-stdin']);
    const body = { setupCode, username: name, email: address, password: secret };
    const user = await (await context.anonymous()).call(setUp, { body });
    return { user, session: flags['no-login'] ? null : await logIn(context, name, secret) };
  },
  note: ({ user, session }) =>
    `${user.username} is the first administrator.${session ? ` You are logged in to ${session.server}.` : ''}`,
});
