import { string } from '@oclif/core/flags';
import { loginName } from '@recordproof/shared/api/auth.ts';
import { command } from '../../platform/command.ts';
import { getField } from '../../platform/fields.ts';
import { getPassword, loggedInNote, logIn, meetServer, passwordFlags } from '../account.ts';

export default command({
  summary: 'Log in and keep the session on this machine',
  description:
    'Asks for what the flags do not say. The session is kept in credentials.json, which only you can read, and is renewed by itself while you use it. The first login with --server makes that the server of the profile.',
  examples: [
    { command: 'login', description: 'Be asked for user name and password' },
    { command: 'login --server https://proof.example.org', description: 'Log in to another server' },
    { command: 'login --username alice --password-stdin < secret.txt', description: 'Log in from a script' },
  ],
  flags: { username: string({ summary: 'User name.' }), ...passwordFlags },
  async run({ flags, context }) {
    await meetServer(context);
    const field = { name: 'User name', flag: '--username', schema: loginName };
    const username = await getField(context, flags.username, field);
    return logIn(context, username, await getPassword(context, flags['password-stdin']));
  },
  note: loggedInNote,
});
