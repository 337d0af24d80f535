// Prompts on a terminal. Questions go to stderr; the answer to a hidden question is never echoed. Lines that are typed or
// pasted ahead are kept for the next question. Without a terminal a missing value is a usage error.
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './command-error.ts';

export type Prompter = {
  /** `missing` is the error of runs without a terminal: how to give the value instead. */
  ask(question: string, missing: string): Promise<string>;
  askHidden(question: string, missing: string): Promise<string>;
  /** Releases the terminal until the next question. */
  release(): void;
};

const interrupted = (): CommandError => new CommandError('interrupted', 'interrupted');

/** Passes the echo of the terminal line only for visible questions. */
class Echo extends Writable {
  hidden = false;
  /** The width at which long questions wrap: readline would otherwise place the cursor beyond the right edge. */
  get columns(): number | undefined {
    return process.stderr.columns;
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.hidden) process.stderr.write(chunk);
    done();
  }
}

type Waiting = { resolve(line: string): void; reject(error: Error): void };

function openTerminal() {
  const echo = new Echo();
  let waiting: Waiting | undefined;
  const ahead: string[] = [];
  let isClosed = false;
  const terminal: Interface = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 });
  terminal.on('line', line => {
    if (waiting) waiting.resolve(line);
    else ahead.push(line);
    waiting = undefined;
  });
  terminal.on('SIGINT', () => terminal.close());
  terminal.on('close', () => {
    isClosed = true;
    waiting?.reject(interrupted());
  });

  async function ask(question: string, hidden: boolean): Promise<string> {
    const early = ahead.shift();
    if (early !== undefined) return early;
    if (isClosed) throw interrupted();
    terminal.setPrompt(`${question}: `);
    terminal.prompt();
    echo.hidden = hidden;
    try {
      return await new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject };
      });
    } finally {
      if (hidden || isClosed) process.stderr.write('\n');
      echo.hidden = false;
    }
  }

  return { ask, close: () => terminal.close() };
}

export function openPrompter(): Prompter & Disposable {
  let terminal: ReturnType<typeof openTerminal> | undefined;
  const mayAsk = process.stdin.isTTY && process.stderr.isTTY;

  function ask(question: string, missing: string, hidden: boolean): Promise<string> {
    if (!mayAsk)
      throw new CommandError('usage', `${question} is missing, and this is no terminal to ask at`, { try: missing });
    terminal ??= openTerminal();
    return terminal.ask(question, hidden);
  }

  const release = (): void => {
    terminal?.close();
    terminal = undefined;
  };

  return {
    ask: async (question, missing) => ask(question, missing, false),
    askHidden: async (question, missing) => ask(question, missing, true),
    release,
    [Symbol.dispose]: release,
  };
}

const maxSecretBytes = 4096;

/** A secret that is piped in: all of stdin, without its last line break. */
export async function readSecretFromStdin(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new CommandError('usage', '--password-stdin reads a pipe, but stdin is the terminal', {
      try: 'omit the flag to be asked, or pipe the password to stdin',
    });
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > maxSecretBytes)
      throw new CommandError('usage', `more than ${maxSecretBytes} bytes were piped in as password`);
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
