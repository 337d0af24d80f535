// A real redis-server of the test's own: free port on loopback, empty, nothing kept on disk.

import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectOutput, findFreePort, spawnTied, stopChild, waitUntilReady } from './child-process.ts';

export const redisProgram = 'redis-server';

export type RunningRedis = AsyncDisposable & {
  readonly url: string;
  /** kill -9, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  /** Accepts connections but answers nothing, until `resume`. */
  freeze(): void;
  resume(): void;
};

export const startRedis = async (): Promise<RunningRedis> => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-redis-'));
  const port = await findFreePort();
  let child = await launch(port, folder);
  return {
    url: `redis://127.0.0.1:${port}/0`,
    crash: () => stopChild(child, 'SIGKILL'),
    restart: async () => {
      child = await launch(port, folder);
    },
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      await stopChild(child, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const launch = async (port: number, folder: string): Promise<ChildProcess> => {
  const flags = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no', daemonize: 'no' };
  const child = spawnTied(
    redisProgram,
    Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  const output = collectOutput(child);
  await waitUntilReady(child, () => ping(port), { timeoutMs: 120_000, pollMs: 5, output });
  return child;
};

const ping = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', answer => {
      socket.destroy();
      if (answer.toString().startsWith('+PONG')) resolve();
      else reject(new Error(answer.toString()));
    });
  });
