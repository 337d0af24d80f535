// Real services as children of a test: they end with it, also when it is killed, and leave nothing behind.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Starts a command that the kernel ends (SIGTERM) as soon as its parent exits for any reason. */
export const spawnTied = (command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess =>
  spawn('setpriv', ['--pdeathsig', 'TERM', command, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options });

/** Keeps the child's output, for the error message of a failed start. */
export const collectOutput = (child: ChildProcess): (() => string) => {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    });
  }
  return () => output;
};

/** The first line that a child prints; rejects with its output when it ends before. */
export async function readFirstLine(child: ChildProcess): Promise<string> {
  const output = collectOutput(child);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.stdout?.on('data', () => output().includes('\n') && resolve(output().split('\n')[0] ?? ''));
  child.once('error', reject);
  child.once('exit', () => reject(new Error(`${child.spawnargs.join(' ')} ended at once:\n${output()}`)));
  return await promise;
}

export const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export const stopChild = async (child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (hasExited(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
};

/** Retries until the attempt succeeds. Rejects with the child's output when the child is gone or the time is over. */
export const waitUntilReady = async <T>(
  child: ChildProcess,
  attempt: () => Promise<T>,
  { timeoutMs, pollMs, output }: { timeoutMs: number; pollMs: number; output: () => string },
): Promise<T> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (hasExited(child)) throw new Error(`${child.spawnargs.join(' ')} ended at once:\n${output()}`);
      if (performance.now() > deadline) {
        throw new Error(`${child.spawnargs.join(' ')} was not ready in time:\n${output()}`, { cause: error });
      }
    }
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
};

export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
};
