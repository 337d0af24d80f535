// Secrets from standard input: piped, or typed without echo. Never from the command line, which others can read.
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Interrupted, UsageError } from './outcome.ts';

const maxCharacters = 4096;

async function readPiped(): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true }); // a character may be split between two chunks
  let text = '';
  for await (const chunk of process.stdin) {
    text += decoder.decode(Buffer.from(chunk), { stream: true });
    if (text.length > maxCharacters) throw new UsageError('standard input contains more than a password.');
  }
  return (text + decoder.decode()).replace(/\r?\n$/, '');
}

/** Prompts and reads one line per question; lines typed ahead are kept. */
async function ask<T>(questions: (next: (question: string) => Promise<string>) => Promise<T>): Promise<T> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  terminal.on('SIGINT', () => terminal.close());
  try {
    return await questions(async question => {
      process.stderr.write(question);
      const { done, value } = await lines.next();
      process.stderr.write('\n');
      if (done) throw new Interrupted('interrupted; nothing was changed.');
      return value;
    });
  } finally {
    terminal.close();
  }
}

type Wording = { readonly what: string; readonly question: string };

const password: Wording = { what: 'password', question: 'New password: ' };

/** `check` throws if the secret is invalid, before it is asked for a second time. */
export async function readNewSecret(check: (secret: string) => string, wording = password): Promise<string> {
  if (!process.stdin.isTTY) return check(await readPiped());
  return ask(async next => {
    const secret = check(await next(wording.question));
    if ((await next('Once more: ')) !== secret)
      throw new UsageError(`the two ${wording.what}s differ; nothing was changed.`);
    return secret;
  });
}

/** An existing secret is asked for once: a typing error shows by itself. */
export const readKnownSecret = async (question: string): Promise<string> =>
  process.stdin.isTTY ? ask(next => next(question)) : readPiped();
