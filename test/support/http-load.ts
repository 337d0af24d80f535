// Many concurrent requests, from a process of its own: wrk where it is installed, because it takes the least processor
// time, else autocannon.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Load = { readonly connections: number; readonly seconds: number };
export type LoadResult = { readonly perSecond: number; readonly requests: number };

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

export const loadTool: 'wrk' | 'autocannon' = await run('wrk', ['--version']).then(
  () => 'wrk',
  error => (isMissing(error) ? 'autocannon' : 'wrk'), // wrk exits with 1 after printing its version
);

async function loadByWrk(url: string, header: string, load: Load): Promise<LoadResult> {
  const args = ['-t', '1', '-c', `${load.connections}`, '-d', `${load.seconds}s`, '-H', header, url];
  const { stdout } = await run('wrk', args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`not every answer was a 200:\n${stdout}`);
  const figure = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
  return { perSecond: figure(/Requests\/sec:\s+([\d.]+)/), requests: figure(/(\d+) requests in/) };
}

async function loadByAutocannon(url: string, header: string, load: Load): Promise<LoadResult> {
  const program = createRequire(import.meta.url).resolve('autocannon');
  const options = ['-j', '-n', '-c', `${load.connections}`, '-d', `${load.seconds}`, '-H', header];
  const { stdout } = await run(process.execPath, [program, ...options, url]);
  const { requests, non2xx, errors, '2xx': good } = JSON.parse(stdout);
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were no 200, ${errors} failed`);
  return { perSecond: requests.average, requests: good };
}

/** The header is written as `name: value`. Throws when any answer is not a 200. */
export const sendLoad = loadTool === 'wrk' ? loadByWrk : loadByAutocannon;

const ticksPerSecond = 100;

/** Processor time that a process has used so far, in seconds. */
export function readCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
