// One server among hostile clients: its log, its internal errors, the latency of a normal client, and its memory before
// and after.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Person } from './app.ts';
import { pattern } from './bytes.ts';
import { stopChild } from './child-process.ts';
import { actHostile } from './hostile-clients.ts';
import { generousRates } from './installation.ts';
import { startServerProcess } from './server-process.ts';
import { storeProxied } from './uploads.ts';

const password = 'correct horse battery';

const settings = {
  ...generousRates,
  RECORDPROOF_ADMIN_USERNAME: 'alice',
  RECORDPROOF_ADMIN_EMAIL: 'alice@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
  RECORDPROOF_OPEN_METRICS: 'true',
  RECORDPROOF_REQUEST_TIMEOUT_SECONDS: '10',
  RECORDPROOF_STALL_TIMEOUT_SECONDS: '5',
  FILES_MAX_BYTES: String(8 * 2 ** 20),
};

export type HostileRun = {
  readonly errorLines: readonly string[];
  readonly serverErrors: number;
  /** Of the normal client during the attack; it fails the run at the first that is not answered with 200. */
  readonly normalCalls: number;
  /**
   * Latencies of a normal client before and during the attack, and of one that called a second server, which was not
   * attacked.
   */
  readonly p99Ms: { readonly quiet: number; readonly hostile: number; readonly beside: number };
  /**
   * The factor by which the main thread of the server took longer than its own work during the attack, compared to
   * before, because the processors were given to others.
   */
  readonly stretch: number;
  readonly memoryMiB: { readonly before: number; readonly during: number; readonly after: number };
  readonly acts: Readonly<Record<string, number>>;
};

export type HostilePlan = { readonly seconds: number; readonly clients: number; readonly restSeconds: number };

export async function runHostile({ seconds, clients, restSeconds }: HostilePlan): Promise<HostileRun> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-hostile-'));
  const output: string[] = [];
  try {
    await using server = await startServerProcess({ folder, env: settings, onOutput: text => void output.push(text) });
    const alice = new Person('alice', server.url);
    await alice.login('alice', password);
    const { fileHash } = await storeProxied(alice, await pattern(4 * 2 ** 20), { chunkSize: 2 ** 20 });
    const target = { url: server.url, token: alice.token ?? '', downloadPath: `/api/v1/files/${fileHash}/download` };
    const act = (forSeconds: number) => actHostile(target, clients, AbortSignal.timeout(forSeconds * 1000));

    await act(Math.min(30, seconds)); // modules and compiled code that are loaded once are no leak
    const before = await readRested(server.pid, restSeconds);
    await using bare = await startBare();
    const normal = { url: `${server.url}/api/v1/auth/me`, token: alice.token ?? '' };
    const askBoth = (forSeconds: number) => Promise.all([askFor(normal, forSeconds), askFor(bare, forSeconds)]);
    const quietRuns = await openStretch(server.pid);
    const [quiet] = await askBoth(Math.min(30, seconds));
    const quietStretch = await quietRuns();
    const hostileRuns = await openStretch(server.pid);
    const [acts, [hostile, beside]] = await Promise.all([act(seconds), askBoth(seconds)]);
    const stretch = (await hostileRuns()) / quietStretch;
    const during = await readMemory(server.pid);
    const after = await readRested(server.pid, restSeconds);
    return {
      errorLines: output
        .join('')
        .split('\n')
        .filter(line => /"level":"(error|fatal)"/.test(line)),
      serverErrors: await countServerErrors(server.url),
      normalCalls: hostile.length,
      p99Ms: { quiet: toP99(quiet), hostile: toP99(hostile), beside: toP99(beside) },
      stretch,
      memoryMiB: { before, during, after },
      acts,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Target = { readonly url: string; readonly token: string };

const programOf = (name: string): string => fileURLToPath(new URL(`children/${name}`, import.meta.url));

async function startBare(): Promise<Target & AsyncDisposable> {
  const child = spawn(process.execPath, [programOf('bare-answer.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = await once(child.stdout, 'data');
  return { url: String(address).trim(), token: '', [Symbol.asyncDispose]: () => stopChild(child) };
}

/** The latency of a client that calls continuously, in ms. */
async function askFor({ url, token }: Target, seconds: number): Promise<number[]> {
  const args = [programOf('normal-client.ts'), url, token, String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 2 ** 20 });
  return JSON.parse(stdout);
}

const toP99 = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** Time on a processor and in its queue, as a multiple of the former, from here to the call. */
async function openStretch(pid: number): Promise<() => Promise<number>> {
  const read = async () => (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ').map(Number);
  const [ranBefore = 0, waitedBefore = 0] = await read();
  return async () => {
    const [ran = 0, waited = 0] = await read();
    return 1 + (waited - waitedBefore) / (ran - ranBefore);
  };
}

async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** The minimum within that many seconds. */
async function readRested(pid: number, seconds: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < seconds; at += 1) {
    await sleep(1000);
    least = Math.min(least, await readMemory(pid));
  }
  return least;
}

async function countServerErrors(url: string): Promise<number> {
  const text = await (await fetch(`${url}/actuator/prometheus`)).text();
  const counts = text.matchAll(/^http_server_requests_seconds_count\{[^}]*status="5xx"[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
