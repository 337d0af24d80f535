// The server as people start it: the program `recordproof-server` in a process of its own, on a persistent data folder.
// Its output is searched for secrets when it has ended, in the projects that require it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { collectOutput, findFreePort, hasExited, stopChild } from './child-process.ts';
import { watchesSecrets } from './engines.ts';
import { installed, type ProgramLine } from './installed.ts';
import { watchProcess } from './process-secrets.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../../server/${name}`, import.meta.url));

export const programs = { installed: pathOf('bin/recordproof-server.mjs'), sources: pathOf('src/main.ts') };

export type ServerProcess = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Time from the start of the process to the first 200 of the readiness probe. */
  readonly readyMs: number;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
};

export type ServerOptions = {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
  readonly nodeFlags?: readonly string[];
  /** `warn` when left out: a line for each request is rarely useful. */
  readonly logLevel?: string;
  /** That of a killed one, for instance; a free one when left out. */
  readonly port?: number;
  /** Called with each line of its log and output. */
  readonly onOutput?: (text: string) => void;
};

const answers = (url: string): Promise<boolean> =>
  new Promise(resolve => {
    const request = get(url, { agent: false }, response => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const output = collectOutput(child);
  while (!(await answers(`${url}/actuator/health/readiness`))) {
    if (hasExited(child)) throw new Error(`the server ended before it was ready:\n${output()}`);
    await new Promise(resolve => setTimeout(resolve, 1));
  }
}

/** A program of the named clone, or flags for Node, come before the installed ones. */
const lineOf = ({ program, nodeFlags }: ServerOptions): ProgramLine =>
  program === undefined && nodeFlags === undefined
    ? installed.server
    : { file: process.execPath, args: [...(nodeFlags ?? []), program ?? programs.installed] };

export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const { folder, logLevel = 'warn' } = options;
  const watch = watchesSecrets ? watchProcess({ folder, env: options.env ?? {} }) : undefined;
  const env = { ...options.env, ...watch?.env };
  const port = options.port ?? (await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const program = lineOf(options);
  const args = [...program.args, '--data', folder, '--port', String(port), '--log-level', logLevel];
  const started = performance.now();
  const child = spawn(program.file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', block => {
      options.onOutput?.(String(block));
      watch?.write(String(block));
    });
  await untilReady(url, child);
  const readyMs = performance.now() - started;
  return {
    url,
    port,
    pid: child.pid ?? 0,
    readyMs,
    kill: () => stopChild(child, 'SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      await watch?.readMetrics(url);
      await stopChild(child);
      await watch?.assertKept();
    },
  };
}

/** The time this Node takes to start and to do nothing. */
export async function timeBareNode(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}
