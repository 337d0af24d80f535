// Commands for signing in and out: setup, register, login, logout, whoami, password reset.
import { boolean, string } from '@oclif/core/flags';
import {
  loginName,
  logout,
  me,
  resetPassword,
  setUp,
  setupCode as setupCodeSchema,
  username,
} from '@recordproof/shared/api/auth.ts';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { findSession, replaceSession } from '../platform/credentials-file.ts';
import { getField } from '../platform/fields.ts';
import { toMinute } from '../platform/output.ts';
import { alignRows } from '../platform/table.ts';
import {
  checkServer,
  codeSentNote,
  getEmail,
  getMailCode,
  getNewPassword,
  getPassword,
  keepLogin,
  loggedInNote,
  logIn,
  mailCodeFlag,
  passwordFlags,
} from './account.ts';
import { logInThrough } from './provider-login.ts';

export const setup = command({
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
    await checkServer(context);
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
    `${user.username} is the first administrator.${session ? ` You are signed in to ${session.server}.` : ''}`,
});

export const login = command({
  summary: 'Sign in and keep the session on this machine',
  description:
    'Asks for what the flags do not say. The session is kept in credentials.json, which only you can read, and is renewed by itself while you use it. The first sign-in with --server makes that the server of the profile.',
  examples: [
    { command: 'login', description: 'Be asked for user name and password' },
    { command: 'login --server https://proof.example.org', description: 'Sign in to another server' },
    { command: 'login --username alice --password-stdin < secret.txt', description: 'Sign in from a script' },
    { command: 'login --sso keycloak', description: 'Sign in through a provider, in the browser of this machine' },
    { command: 'login --sso keycloak --device', description: 'The same where there is no browser' },
  ],
  flags: {
    username: string({ summary: 'User name.' }),
    ...passwordFlags,
    code: string({ helpValue: '<code>', summary: 'The second factor: a one-time code or a recovery code.' }),
    sso: string({
      summary: 'Sign in through this provider of single sign-on.',
      helpValue: '<provider>',
      exclusive: ['username', 'password-stdin'],
    }),
    device: boolean({ summary: 'Show a code to enter in a browser on any machine.', dependsOn: ['sso'] }),
  },
  async run({ flags, context }) {
    await checkServer(context);
    const { sso, device } = flags;
    if (sso !== undefined) return keepLogin(context, () => logInThrough(context, sso, { device }));
    const field = { name: 'User name', flag: '--username', schema: loginName };
    const username = await getField(context, flags.username, field);
    return logIn(context, username, await getPassword(context, flags['password-stdin']), flags.code);
  },
  note: loggedInNote,
});

/** A session that the server has ended already counts as logged out. */
async function endAtServer(context: CommandContext, everywhere: boolean): Promise<boolean> {
  try {
    await (await context.session()).call(logout, { body: { everywhere } });
    return true;
  } catch (error) {
    if (error instanceof CommandError && error.ending === 'denied') return false;
    throw error;
  }
}

export const logoutCommand = command({
  summary: 'End the session, here and at the server',
  examples: [
    { command: 'logout', description: 'End the session of this machine' },
    { command: 'logout --everywhere', description: 'End every session of the account, on all machines' },
    { command: 'logout --local', description: 'Remove only the local session, when the server is gone' },
  ],
  flags: {
    everywhere: boolean({ summary: 'End every session of the account.' }),
    local: boolean({ summary: 'Do not call the server.', exclusive: ['everywhere'] }),
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
    if (!result.wasLoggedIn) return `You were not signed in to ${result.server}.`;
    if (result.everywhere) return `Every session of the account at ${result.server} has ended.`;
    return result.endedAtServer
      ? `Logged out of ${result.server}.`
      : `The session at ${result.server} is forgotten here.`;
  },
});

/** The limits of an API token from the environment. */
const tokenRows = ({ apiToken, permissions }: AnswerOf<typeof me>): [string, string][] =>
  apiToken
    ? [
        ['API token', `${apiToken.name} (id ${apiToken.id})`],
        ['scopes', permissions.join(', ')],
        ['folder', apiToken.folder ?? 'all'],
        ['expires', `${toMinute(apiToken.expiresAt)} UTC`],
      ]
    : [];

export const whoami = command({
  summary: 'Show who you are signed in as, and where',
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
      ...(user.signInName === undefined ? [] : [['sign-in name', user.signInName] as const]),
      ['e-mail', user.email],
      ['role', user.role],
      ['id', user.externalId],
      ['server', server],
      ['profile', profile],
      ['session', sessionExpiresAt === null ? 'token from the environment' : `until ${toMinute(sessionExpiresAt)} UTC`],
      ...tokenRows(user),
    ]),
});

export const passwordReset = command({
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
    await checkServer(context);
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
