// Commands of `recordproof-server` as operators run them, in processes of their own, with only the given environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestApp } from './app.ts';
import { programs } from './server-process.ts';

type Env = Readonly<Record<string, string>>;

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };
export type Running = { readonly child: ChildProcess; readonly ended: Promise<Ended> };

/** The setting that names the database of a command. */
export const databaseOf = ({ config }: TestApp): Env =>
  config.db.kind === 'postgres' ? { DATABASE_URL: config.db.url.reveal() } : {};

/** Ends with the process that started it. */
export function runServerCommand(args: readonly string[], env: Env = {}): Running {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, programs.installed, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', data => (out += data));
  child.stderr.on('data', data => (err += data));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended };
}
