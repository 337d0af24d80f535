// Benchmark of GET /api/v1/auth/me through the real server, against a bare node:http handler that runs the same
// prepared statement and answers with the same bytes, and against Fastify that also sends the headers and writes the
// log line. Run: npm run bench auth-me, or node test/bench/auth-me.ts [rounds] [seconds] [connections]
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

async function startReference(kind: 'node' | 'fastify', token: string): Promise<Contender & AsyncDisposable> {
  const { sub, tid, jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const program = fileURLToPath(new URL('../support/children/bare-me.ts', import.meta.url));
  const child = spawn(process.execPath, [program, kind, join(folder, 'recordproof.db'), sub, tid, jti], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { url: await readFirstLine(child), pid: child.pid ?? 0, [Symbol.asyncDispose]: () => stopChild(child) };
}

async function read(url: string, header: string): Promise<string> {
  const response = await fetch(url, { headers: { authorization: header.split(': ')[1] ?? '' } });
  return `${response.status} ${await response.text()}`;
}

type Samples = { readonly rate: number[]; readonly cpu: number[] };
const newSamples = (): Samples => ({ rate: [], cpu: [] });

async function compare(contenders: Readonly<Record<'ours' | 'node' | 'fastify', Contender>>, header: string) {
  const { ours, node, fastify } = contenders;
  const answers = [await read(ours.url, header), await read(node.url, header), await read(fastify.url, header)];
  if (new Set(answers).size > 1) throw new Error(`they do not say the same:\n${answers.join('\n')}`);
  const send = async (contender: Contender, into: Samples) => {
    const before = readCpuSeconds(contender.pid);
    const { perSecond, requests } = await sendLoad(contender.url, header, { connections, seconds });
    into.rate.push(perSecond);
    into.cpu.push(((readCpuSeconds(contender.pid) - before) / requests) * 1e6);
  };
  const all = [node, fastify, ours];
  for (const { url } of all) await sendLoad(url, header, { connections, seconds }); // warm-up
  const seen = { node: newSamples(), fastify: newSamples(), ours: newSamples() };
  for (let round = 0; round < rounds; round += 1) {
    await send(node, seen.node);
    await send(fastify, seen.fastify);
    await send(ours, seen.ours);
  }
  const references = (what: keyof Samples) => ({
    'bare node:http': seen.node[what],
    'Fastify with headers and log': seen.fastify[what],
  });
  printFigures(`GET /api/v1/auth/me, ${connections} connections by ${loadTool}`, [
    { name: 'rate', unit: 'requests/s', samples: seen.ours.rate, references: references('rate') },
    { name: 'each request', unit: 'µs of processor', samples: seen.ours.cpu, references: references('cpu') },
  ]);
}

try {
  const nodeFlags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? [];
  await using server = await startServerProcess({ folder, env, nodeFlags, logLevel: 'info' }); // as people run it
  const client = openClient({ baseUrl: server.url, token: () => undefined });
  const { token } = await client.call(login, { body: { username: 'alice', password } });
  await using node = await startReference('node', token);
  await using fastify = await startReference('fastify', token);
  const ours = { url: `${server.url}/api/v1/auth/me`, pid: server.pid };
  await compare({ ours, node, fastify }, `authorization: Bearer ${token}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
