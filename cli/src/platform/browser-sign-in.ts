// Sign-in at a provider in the browser of this machine, and the reasons of a rejected one.
import { spawn } from 'node:child_process';
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import { SignInRejected } from '@recordproof/shared/node/loopback-sign-in.ts';
import { CommandError } from './command-error.ts';
import { listenForInterrupts } from './interrupts.ts';
import { writeMessage } from './output.ts';

const problems: Readonly<Record<SignInProblem, string>> = {
  expired: 'the sign-in took too long',
  'other-browser': 'the sign-in was finished in another browser than it began in',
  cancelled: 'the sign-in was cancelled at the provider',
  provider: 'the answer of the provider was rejected; the log of the server says why',
  unreachable: 'the provider cannot be reached',
  'not-admitted': 'the provider knows you, but your domain or group is not admitted here',
  'email-unverified': 'the provider has not verified your e-mail address',
  'email-taken': 'an account with your e-mail address exists: sign in to it and connect the provider there',
  'no-account': 'you have no account here; ask an administrator',
  suspended: 'your account or tenant is suspended',
  'wrong-tenant': 'your account is in another tenant than the provider says',
  'weak-authentication': 'this server requires a stronger sign-in at the provider',
  'linked-elsewhere': 'the provider is connected with another account',
  'session-ended': 'the session has ended',
  'not-fresh': 'the provider did not ask you to sign in again, or did not say when you did',
  'other-person': 'you signed in at the provider as another person than this session',
};

export const toCommandError = (problem: SignInProblem): CommandError => new CommandError('denied', problems[problem]);

/** BROWSER is a variable that other programs use, too; without one, the address on the screen must do. */
function openBrowser(url: string): void {
  const named = process.env.BROWSER;
  const [program = '', ...args] =
    named !== undefined && named !== ''
      ? [named]
      : process.platform === 'darwin'
        ? ['open']
        : process.platform === 'win32'
          ? ['rundll32', 'url.dll,FileProtocolHandler']
          : ['xdg-open'];
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined).unref();
}

type Waiting = { readonly open: (url: string) => void; readonly signal: AbortSignal };

/** Shows the address as well: not every machine has a browser that opens. */
export async function inBrowser<T>(signIn: (waiting: Waiting) => Promise<T>): Promise<T> {
  using interrupts = listenForInterrupts();
  const open = (url: string): void => {
    writeMessage(`Sign in in your browser. If it does not open: ${url}`);
    openBrowser(url);
  };
  try {
    return await signIn({ open, signal: interrupts.signal });
  } catch (error) {
    throw error instanceof SignInRejected ? toCommandError(error.problem) : error;
  }
}
