// What the commands around accounts share: asking for the fields of the contract, sending codes, keeping a session.

import { boolean, string } from '@oclif/core/flags';
import { email, login, type MailCodeType, mailCode, password, requestMailCode } from '@recordproof/shared/api/auth.ts';
import type { z } from 'zod';
import { changeConfig, getProfile, withProfile } from './config-file.ts';
import { findSession, replaceSession } from './credentials-file.ts';
import { toWait } from './failure.ts';
import { Fixable } from './fixable.ts';
import { say, tint } from './output.ts';
import type { Program } from './program.ts';
import { readSecretFromStdin } from './prompter.ts';
import { isPlainText } from './server-url.ts';
import { toSavedSession } from './session.ts';
import { variables } from './settings.ts';

export const passwordFlags = {
  'password-stdin': boolean({ summary: 'Read the password from a pipe.' }),
};

export const mailCodeFlag = string({ helpValue: '<6 digits>', summary: 'The code from the e-mail.' });

const invalid = (name: string, error: z.ZodError): Fixable =>
  new Fixable('usage', `${name}: ${error.issues[0]?.message ?? 'is not valid'}`);

/** A value as the contract wants it, or a sentence that says what is wrong with it. The value is not repeated. */
export function parseField<T>(name: string, schema: z.ZodType<T>, value: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(name, parsed.error);
}

const triesAtTerminal = 3;

/** A person who mistypes is told and asked again, a few times. */
async function askUntilValid<T>(name: string, schema: z.ZodType<T>, ask: () => Promise<string>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const parsed = schema.safeParse(await ask());
    if (parsed.success) return parsed.data;
    const problem = invalid(name, parsed.error);
    if (tries === triesAtTerminal) throw problem;
    say(tint('yellow', problem.message));
  }
}

/** What the flag says, or else what the person answers; checked before anything is sent. */
export async function getField<T>(
  program: Program,
  flag: string | undefined,
  field: { name: string; flag: string; schema: z.ZodType<T> },
): Promise<T> {
  if (flag !== undefined) return parseField(field.name, field.schema, flag.trim());
  const ask = async () => (await program.prompter.ask(field.name, `give it with ${field.flag}`)).trim();
  return askUntilValid(field.name, field.schema, ask);
}

export const getEmail = (program: Program, flag: string | undefined): Promise<string> =>
  getField(program, flag, { name: 'E-mail', flag: '--email', schema: email });

const byPipe = 'pipe it in with --password-stdin';

export const getPassword = (program: Program, fromStdin: boolean): Promise<string> =>
  fromStdin ? readSecretFromStdin() : program.prompter.askHidden('Password', byPipe);

/** A password that does not exist yet: typed twice, because nobody sees it. */
export async function getNewPassword(program: Program, fromStdin: boolean): Promise<string> {
  if (fromStdin) return parseField('Password', password, await readSecretFromStdin());
  for (let tries = 1; ; tries++) {
    const chosen = await askUntilValid('Password', password, () => program.prompter.askHidden('New password', byPipe));
    if ((await program.prompter.askHidden('The same again', byPipe)) === chosen) return chosen;
    const problem = 'the two passwords are not the same';
    if (tries === triesAtTerminal) throw new Fixable('usage', problem);
    say(tint('yellow', problem));
  }
}

export async function warnOfPlainText(program: Program): Promise<void> {
  const { server } = await program.settings();
  if (isPlainText(server.value)) {
    say(`${tint('yellow', 'warning:')} ${server.value} is not encrypted: passwords and files can be read on the way`);
  }
}

export type CodeSent = { readonly codeSent: true; readonly email: string; readonly expiresIn: number };

/**
 * The code of the e-mail: from the flag, or else requested and asked for. A script cannot be asked; it gets `CodeSent`
 * and calls again with the code.
 */
export async function getMailCode(
  program: Program,
  flag: string | undefined,
  address: string,
  type: MailCodeType,
): Promise<string | CodeSent> {
  if (flag !== undefined) return parseField('Code', mailCode, flag);
  const { expiresIn } = await (await program.anonymous()).call(requestMailCode, { body: { email: address, type } });
  if (!process.stdin.isTTY) return { codeSent: true, email: address, expiresIn };
  say(`A code is on its way to ${address}. It is good for ${toWait(expiresIn)}.`);
  return getField(program, undefined, { name: 'Code from the e-mail', flag: '--code', schema: mailCode });
}

export const codeSentNote = (sent: CodeSent, again: string): string =>
  `A code is on its way to ${sent.email}, good for ${toWait(sent.expiresIn)}. Then: ${again}`;

export type LoggedIn = {
  readonly username: string;
  readonly server: string;
  readonly profile: string;
  readonly expiresAt: string;
  readonly hiddenByEnvironment: boolean;
};

/** A first login with --server makes that the server of a profile that has none yet. */
async function keepServer(program: Program, profile: string): Promise<void> {
  const { server } = await program.settings();
  if (server.source !== 'flag') return;
  await changeConfig(program.paths, config => {
    const saved = getProfile(config, profile);
    return saved.server === undefined ? withProfile(config, profile, { ...saved, server: server.value }) : config;
  });
}

export async function logIn(program: Program, username: string, secret: string): Promise<LoggedIn> {
  const key = await program.sessionKey();
  // Before the password leaves: could a session be kept at all?
  await findSession(program.paths, key);
  const answer = await (await program.anonymous()).call(login, { body: { username, password: secret } });
  const session = toSavedSession(key, username, answer);
  await replaceSession(program.paths, key, () => session);
  await keepServer(program, key.profile);
  const hiddenByEnvironment = program.environmentToken !== undefined;
  return { username, ...key, expiresAt: session.expiresAt, hiddenByEnvironment };
}

export function loggedInNote(result: LoggedIn): string {
  const note = `Logged in to ${result.server} as ${result.username}, until ${result.expiresAt}.`;
  return result.hiddenByEnvironment ? `${note}\nBut ${variables.token} is set, and it wins over this login.` : note;
}
