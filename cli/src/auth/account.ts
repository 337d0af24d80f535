// Shared parts of the sign-in commands: asking for the fields of the contract, sending codes, keeping a session.

import { boolean, string } from '@oclif/core/flags';
import {
  type Delivery,
  email,
  login,
  type MailCodeType,
  mailCode,
  password,
  requestMailCode,
} from '@recordproof/shared/api/auth.ts';
import { TransportError } from '@recordproof/shared/api/client.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { giveSecondFactor, type PendingSignIn, pendingSignIn } from '@recordproof/shared/api/factors.ts';
import { getLiveness } from '@recordproof/shared/api/monitor.ts';
import { beginEnrolment, completeEnrolment } from '@recordproof/shared/api/one-time-codes.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { changeConfig, getProfile, withProfile } from '../platform/config-file.ts';
import { findSession, replaceSession } from '../platform/credentials-file.ts';
import { toWait } from '../platform/failure.ts';
import { askUntilValid, getField, parseField, triesAtTerminal } from '../platform/fields.ts';
import { askFirstCode, askSecondFactor, recoveryCodesText, toProof } from '../platform/give-factor.ts';
import { tint, writeMessage } from '../platform/output.ts';
import { readSecretFromStdin } from '../platform/prompter.ts';
import { isPlainText } from '../platform/server-url.ts';
import { toSavedSession } from '../platform/session.ts';
import { variables } from '../platform/settings.ts';

export const passwordFlags = {
  'password-stdin': boolean({ summary: 'Read the password from a pipe.' }),
};

export const mailCodeFlag = string({ helpValue: '<6 digits>', summary: 'The code from the e-mail.' });

export const getEmail = (context: CommandContext, flag: string | undefined): Promise<string> =>
  getField(context, flag, { name: 'E-mail', flag: '--email', schema: email });

const byPipe = 'pipe it in with --password-stdin';

export const getPassword = (context: CommandContext, fromStdin: boolean): Promise<string> =>
  fromStdin ? readSecretFromStdin() : context.prompter.askHidden('Password', byPipe);

/** A new password: typed twice, because it is not shown. */
export async function getNewPassword(context: CommandContext, fromStdin: boolean): Promise<string> {
  if (fromStdin) return parseField('Password', password, await readSecretFromStdin());
  for (let tries = 1; ; tries++) {
    const chosen = await askUntilValid('Password', password, () => context.prompter.askHidden('New password', byPipe));
    if ((await context.prompter.askHidden('The same again', byPipe)) === chosen) return chosen;
    const problem = 'the two passwords are not the same';
    if (tries === triesAtTerminal) throw new CommandError('usage', problem);
    writeMessage(tint('yellow', problem));
  }
}

/** Checks before a password is typed: whether there is a server, and whether the connection is encrypted. */
export async function checkServer(context: CommandContext): Promise<void> {
  const { server } = await context.settings();
  if (isPlainText(server.value))
    writeMessage(
      `${tint('yellow', 'warning:')} ${server.value} is not encrypted: passwords and files can be read on the way`,
    );
  await (await context.anonymous()).call(getLiveness).catch(error => {
    if (error instanceof TransportError) throw error;
  });
}

type CodeSent = {
  readonly codeSent: true;
  readonly email: string;
  readonly expiresIn: number;
  readonly delivery: Delivery | undefined;
};

/** Without a mail server, a server keeps its mail in a folder of its own. */
const toWayOf = (address: string, delivery: Delivery | undefined): string =>
  delivery === 'file'
    ? `This server sends no mail: the code for ${address} is in the newest file of the folder mail/ in its data folder.`
    : `A code was mailed to ${address}.`;

/**
 * The code of the e-mail: from the flag, or else requested and asked for. A script cannot be asked; it gets `CodeSent`
 * and calls again with the code.
 */
export async function getMailCode(
  context: CommandContext,
  flag: string | undefined,
  address: string,
  type: MailCodeType,
): Promise<string | CodeSent> {
  const client = await context.anonymous();
  return getRequestedCode(context, flag, address, () =>
    client.call(requestMailCode, { body: { email: address, type } }),
  );
}

type Receipt = { readonly expiresIn: number; readonly delivery?: Delivery | undefined };

export async function getRequestedCode(
  context: CommandContext,
  flag: string | undefined,
  address: string,
  request: () => Promise<Receipt>,
): Promise<string | CodeSent> {
  if (flag !== undefined) return parseField('Code', mailCode, flag);
  const { expiresIn, delivery } = await request();
  if (!process.stdin.isTTY) return { codeSent: true, email: address, expiresIn, delivery };
  writeMessage(`${toWayOf(address, delivery)} It is valid for ${toWait(expiresIn)}.`);
  return getField(context, undefined, { name: 'Code from the e-mail', flag: '--code', schema: mailCode });
}

export const codeSentNote = (sent: CodeSent, again: string): string =>
  `${toWayOf(sent.email, sent.delivery)} It is valid for ${toWait(sent.expiresIn)}. Then: ${again}`;

type LoggedIn = {
  readonly username: string;
  readonly server: string;
  readonly profile: string;
  readonly expiresAt: string;
  readonly hiddenByEnvironment: boolean;
};

/** A first login with --server makes that the server of a profile that has none yet. */
async function keepServer(context: CommandContext, profile: string): Promise<void> {
  const { server } = await context.settings();
  if (server.source !== 'flag') return;
  await changeConfig(context.paths, config => {
    const saved = getProfile(config, profile);
    return saved.server === undefined ? withProfile(config, profile, { ...saved, server: server.value }) : config;
  });
}

type Issued = { readonly username: string; readonly token: string; readonly expiresIn: number };
type Token = Omit<Issued, 'username'>;

/** The steps of a sign-in: the password, and then the factors that the account or its tenant requires. */
async function signIn(
  context: CommandContext,
  body: BodyInput<typeof login>,
  code: string | undefined,
): Promise<Token> {
  const client = await context.anonymous();
  try {
    return await client.call(login, { body });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.kind === 'SECOND_FACTOR_REQUIRED') {
      const { challenge, factors } = pendingSignIn.parse(error.detail);
      const proof = code === undefined ? await askSecondFactor(context.prompter, factors) : toProof(code);
      return client.call(giveSecondFactor, { body: { challenge, proof } });
    }
    if (error.kind !== 'SECOND_FACTOR_ENROLMENT') throw error;
    return enrol(context, pendingSignIn.parse(error.detail));
  }
}

/** Terminals have no passkeys: one-time codes are set up here, a passkey in the app. */
async function enrol(context: CommandContext, { challenge, factors }: PendingSignIn): Promise<Token> {
  const { server } = await context.settings();
  const app = `${server.value}/app`;
  if (!process.stdin.isTTY)
    throw new CommandError('usage', 'this account has to set up a second factor before it signs in', {
      try: `this needs a terminal (recordproof login) or a browser (${app})`,
    });
  writeMessage('Your account needs a second factor. At a terminal, that is an app for one-time codes.');
  if (factors.includes('passkey'))
    writeMessage(`To set up a passkey instead, stop here (Ctrl-C) and sign in to the app in a browser: ${app}`);
  const client = await context.anonymous();
  const begun = await client.call(beginEnrolment, { body: { challenge } });
  const code = await askFirstCode(context.prompter, begun);
  const { recoveryCodes, ...issued } = await client.call(completeEnrolment, { body: { challenge, code } });
  writeMessage(recoveryCodesText(recoveryCodes));
  return issued;
}

export const logIn = (context: CommandContext, username: string, secret: string, code?: string): Promise<LoggedIn> =>
  keepLogin(context, async () => ({ username, ...(await signIn(context, { username, password: secret }, code)) }));

export async function keepLogin(context: CommandContext, issue: () => Promise<Issued>): Promise<LoggedIn> {
  const key = await context.sessionKey();
  // Before a secret is sent: checks whether a session could be stored at all.
  await findSession(context.paths, key);
  const { username, ...answer } = await issue();
  const session = toSavedSession(key, username, answer);
  await replaceSession(context.paths, key, () => session);
  await keepServer(context, key.profile);
  const hiddenByEnvironment = context.environmentToken !== undefined;
  return { username, ...key, expiresAt: session.expiresAt, hiddenByEnvironment };
}

export function loggedInNote(result: LoggedIn): string {
  const note = `Signed in to ${result.server} as ${result.username}, until ${result.expiresAt}.`;
  return result.hiddenByEnvironment
    ? `${note}\n${variables.token} is set and overrides this session: unset it to use the session.`
    : note;
}
