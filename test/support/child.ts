// A second process of ours, for races and kills. It runs one of the scripts in ./children.
import { type ChildProcess, fork } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenFolder, findBundle } from '../../shared/src/node/launch/bundle.mjs';

export type Child = {
  readonly pid: number;
  /** The next unread message from the child. Rejects when it ends without one. */
  next(): Promise<unknown>;
  send(message: string): void;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /** The exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
};

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

const scriptPaths = new Map<string, string>();

/** Its bundle starts twice as fast as its sources, which are used where they have changed since. */
function pathOf(script: string): string {
  const known = scriptPaths.get(script);
  if (known !== undefined) return known;
  const sources = new URL(`./children/${script}`, import.meta.url);
  const path = fileURLToPath(findBundle(basename(script, '.ts'), childrenFolder) ?? sources);
  scriptPaths.set(script, path);
  return path;
}

export function startChild(script: string, input: unknown, nodeFlags: readonly string[] = []): Child {
  const child: ChildProcess = fork(pathOf(script), [JSON.stringify(input)], {
    execArgv: [...nodeFlags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<number | string>(resolve => {
    child.once('exit', (code, signal) => {
      alive.delete(child);
      resolve(code ?? signal ?? 'unknown');
    });
  });
  const messages: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  child.on('message', message => {
    const taker = waiting.shift();
    if (taker) taker(message);
    else messages.push(message);
  });
  alive.add(child);
  return {
    pid: child.pid ?? 0,
    ended,
    send: message => child.send(message),
    next: () => {
      if (messages.length > 0) return Promise.resolve(messages.shift());
      const message = new Promise(resolve => waiting.push(resolve));
      return Promise.race([
        message,
        ended.then(how => Promise.reject(new Error(`${script} ended (${how}) without a word`))),
      ]);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** In the child: the input from the parent. */
export function childInput<T>(): T {
  return JSON.parse(process.argv[2] ?? 'null') as T;
}

/** In the child: dies at once, without cleaning up. */
export function dieHere(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}

export function tell(message: unknown): void {
  process.send?.(message);
}
