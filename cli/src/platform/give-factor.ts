// Second factors at the terminal: prompts, parsing and enrolment.
import type { Client } from '@recordproof/shared/api/client.ts';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import type { SecondFactorProof } from '@recordproof/shared/api/factor-proofs.ts';
import { recoveryCode, totpCode } from '@recordproof/shared/api/factor-proofs.ts';
import { stepUp } from '@recordproof/shared/api/factors.ts';
import type { NewTotp } from '@recordproof/shared/api/one-time-codes.ts';
import { stepUpByLoopback } from '@recordproof/shared/node/loopback-sign-in.ts';
import { inBrowser } from './browser-sign-in.ts';
import { CommandError } from './command-error.ts';
import { writeMessage } from './output.ts';
import type { Prompter } from './prompter.ts';

/** Six digits are a one-time code; anything else is taken for a recovery code. */
export function toProof(text: string): SecondFactorProof {
  const typed = text.replaceAll(/\s+/g, '');
  if (totpCode.safeParse(typed).success) return { kind: 'totp', code: typed };
  const recovery = recoveryCode.safeParse(typed);
  if (recovery.success) return { kind: 'recovery-code', code: recovery.data };
  throw new CommandError('usage', 'a code has 6 digits, a recovery code 16 letters and digits');
}

const names: Readonly<Record<string, string>> = {
  totp: 'code of your app',
  'recovery-code': 'recovery code',
};

const toQuestion = (labels: readonly string[]): string =>
  labels.join(', or ').replace(/^./, first => first.toUpperCase());

export async function askSecondFactor(prompter: Prompter, factors: readonly string[]): Promise<SecondFactorProof> {
  const labels = factors.flatMap(factor => names[factor] ?? []);
  const hasPasskeyOnly = factors.includes('passkey') && !factors.includes('totp');
  const problem = 'this account signs in with a passkey, which the command line cannot use';
  const advice = 'sign in to the app in a browser, and set up one-time codes there (Account)';
  if (labels.length === 0) throw new CommandError('denied', problem, { try: advice });
  if (hasPasskeyOnly) writeMessage(`Note: ${problem}. A recovery code works once. For later: ${advice}.`);
  return toProof(await prompter.ask(toQuestion(labels), 'give it with --code'));
}

/** In the browser of this machine. */
export const signInAgain = (client: Pick<Client, 'call'>): Promise<AnswerOf<typeof stepUp>> =>
  inBrowser(waiting => stepUpByLoopback(client, waiting));

/** The proof of a fresh factor; a one-time code before a sign-in at the provider. */
export async function giveFactor(
  client: Pick<Client, 'call'>,
  prompter: Prompter,
  factors: readonly string[],
): Promise<AnswerOf<typeof stepUp>> {
  writeMessage('Confirm your identity again. The confirmation is valid for ten minutes.');
  if (factors.includes('provider') && !factors.includes('totp')) return signInAgain(client);
  const proof = factors.includes('password')
    ? ({ kind: 'password', password: await askPassword(prompter) } as const)
    : await askSecondFactor(prompter, factors);
  return client.call(stepUp, { body: { proof } });
}

const askPassword = (prompter: Prompter): Promise<string> =>
  prompter.askHidden('Password', 'give it first: recordproof step-up --password-stdin');

/** Shows the secret for the app, and asks for the first code. */
export async function askFirstCode(prompter: Prompter, { secret, uri }: NewTotp): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  writeMessage(
    `Scan this with an app for one-time codes:\n\n${renderUnicodeCompact(uri)}\nor type this secret into it: ${secret}\n`,
  );
  const typed = (await prompter.ask('Code that the app shows', 'this needs a terminal')).replaceAll(/\s+/g, '');
  if (totpCode.safeParse(typed).success) return typed;
  throw new CommandError('usage', 'a code has 6 digits');
}

export const recoveryCodesText = (codes: readonly string[]): string =>
  `Recovery codes, for when the app is lost. Each works once. Keep them; they are not shown again:\n\n${codes.map(code => `  ${code}\n`).join('')}`;
