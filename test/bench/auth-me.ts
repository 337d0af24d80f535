// Benchmark of GET /api/v1/auth/me through the real server, against a bare node:http handler that runs the same
// prepared statement and answers with the same bytes. Run: npm run bench auth-me, or node test/bench/auth-me.ts
// [rounds] [seconds] [connections]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { login } from '@recordproof/shared/api/auth.ts';
import { openClient } from '@recordproof/shared/api/client.ts';
import { printFigures } from '../support/bench-figures.ts';
import { readFirstLine, stopChild } from '../support/child-process.ts';
import { loadTool, readCpuSeconds, sendLoad } from '../support/http-load.ts';
import { startServerProcess } from '../support/server-process.ts';

const [rounds = 9, seconds = 3, connections = 32] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const password = 'correct horse battery';
const env = {
  RECORDPROOF_ADMIN_USERNAME: 'alice',
  RECORDPROOF_ADMIN_EMAIL: 'alice@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
  RECORDPROOF_RATE_LIMIT_AUTH: '100000000', // a fast machine makes more than a million in a minute
};

type Contender = { readonly url: string; readonly pid: number };

async function startBare(token: string): Promise<Contender & AsyncDisposable> {
  const { sub, tid, jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const program = fileURLToPath(new URL('../support/children/bare-me.ts', import.meta.url));
  const child = spawn(process.execPath, [program, join(folder, 'recordproof.db'), sub, tid, jti], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { url: await readFirstLine(child), pid: child.pid ?? 0, [Symbol.asyncDispose]: () => stopChild(child) };
}

async function read(url: string, header: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: header.split(': ')[1] ?? '' } });
  return `${response.status} ${await response.text()}`;
}

async function compare(server: Contender, bare: Contender, header: string): Promise<void> {
  const [ours, theirs] = [await read(server.url, header), await read(bare.url, header)];
  if (ours !== theirs) throw new Error(`the two do not say the same:\n${ours}\n${theirs}`);
  const seen = {
    bare: { rate: [] as number[], cpu: [] as number[] },
    server: { rate: [] as number[], cpu: [] as number[] },
  };
  const send = async (contender: Contender, into: { rate: number[]; cpu: number[] }) => {
    const before = readCpuSeconds(contender.pid);
    const { perSecond, requests } = await sendLoad(contender.url, header, { connections, seconds });
    into.rate.push(perSecond);
    into.cpu.push(((readCpuSeconds(contender.pid) - before) / requests) * 1e6);
  };
  for (const contender of [bare, server]) await sendLoad(contender.url, header, { connections, seconds }); // warm-up
  for (let round = 0; round < rounds; round += 1) {
    await send(bare, seen.bare);
    await send(server, seen.server);
  }
  const references = (samples: readonly number[], what: string) => ({ [`bare node:http${what}`]: samples });
  printFigures(`GET /api/v1/auth/me, ${connections} connections by ${loadTool}`, [
    { name: 'rate', unit: 'requests/s', samples: seen.server.rate, references: references(seen.bare.rate, '') },
    {
      ...{ name: 'each request', unit: 'µs of processor', samples: seen.server.cpu },
      references: references(seen.bare.cpu, ', by processor'),
    },
  ]);
}

try {
  const nodeFlags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? [];
  await using server = await startServerProcess({ folder, env, nodeFlags, logLevel: 'info' }); // as people run it
  const client = openClient({ baseUrl: server.url, token: () => undefined });
  const { token } = await client.call(login, { body: { username: 'alice', password } });
  await using bare = await startBare(token);
  await compare({ url: `${server.url}/api/v1/auth/me`, pid: server.pid }, bare, `authorization: Bearer ${token}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
