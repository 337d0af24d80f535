import { string } from '@oclif/core/flags';
import { loginName } from '@recordproof/shared/api/auth.ts';
import { getField, getPassword, loggedInNote, logIn, passwordFlags, warnOfPlainText } from '../account.ts';
import { command } from '../command.ts';

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
  async run({ flags, program }) {
    await warnOfPlainText(program);
    const field = { name: 'User name', flag: '--username', schema: loginName };
    const username = await getField(program, flags.username, field);
    return logIn(program, username, await getPassword(program, flags['password-stdin']));
  },
  note: loggedInNote,
});
