// Benchmark of small files, each acknowledged as durable with its evidence begun, against a bare node:http handler that
// writes the same file durably and one row in one durable transaction, in turns; and the statements of one file from
// the request to its finished proof. With the word `services` the server uses PostgreSQL, S3, Redis and RabbitMQ, all
// on this machine.
// Run: node test/bench/small-files.ts [services] [files] [rounds] [bytes]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp } from '../support/app.ts';
import { canMeasure, printFigures } from '../support/bench-figures.ts';
import { startBenchServer } from '../support/bench-server.ts';
import { servicePrograms, startBenchServices } from '../support/bench-services.ts';
import { readFirstLine, stopChild } from '../support/child-process.ts';
import { countStatements } from '../support/statement-count.ts';

const words = process.argv.slice(2);
const onServices = words.includes('services');
const [files = 400, rounds = 5, bytes = 10 * 1024] = words.filter(word => word !== 'services').map(Number);
const countRounds = 3;
const boundary = 'bench-boundary';
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="small.bin"\r\n\r\n`;
const body = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 7), Buffer.from(`\r\n--${boundary}--\r\n`)]);

type Target = { readonly url: string; readonly token: string };

function send(agent: Agent, { url, token }: Target): Promise<void> {
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': body.length,
    authorization: `Bearer ${token}`,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, response => {
      response
        .resume()
        .on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
    });
    sent.on('error', reject).end(body);
  });
}

/** Files per second. */
async function sendAll(target: Target, count: number, atOnce: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const started = performance.now();
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await send(agent, target);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  agent.destroy();
  return (count * 1000) / (performance.now() - started);
}

async function startBare(folder: string): Promise<Target & AsyncDisposable> {
  const program = fileURLToPath(new URL('../support/children/bare-store.ts', import.meta.url));
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  return { url: await readFirstLine(child), token: '', [Symbol.asyncDispose]: () => stopChild(child) };
}

async function compare(folder: string): Promise<void> {
  await using services = onServices ? await startBenchServices() : null;
  const { server, alice } = await startBenchServer(join(folder, 'ours'), services?.env);
  await using _ours = server;
  await using bare = await startBare(join(folder, 'bare'));
  const ours = { url: `${server.url}/api/v1/files/upload`, token: alice.token ?? '' };
  for (const atOnce of [64, 1]) {
    const count = atOnce === 1 ? Math.ceil(files / 4) : files;
    const seen = { bare: [] as number[], ours: [] as number[] };
    for (const target of [bare, ours]) await sendAll(target, count, atOnce); // warm-up
    for (let round = 0; round < rounds; round += 1) {
      seen.bare.push(await sendAll(bare, count, atOnce));
      seen.ours.push(await sendAll(ours, count, atOnce));
    }
    const references = { 'bare node:http': seen.bare };
    printFigures(`${onServices ? 'services' : 'embedded'}, ${bytes} bytes`, [
      { name: `${atOnce} at once`, unit: 'files/s', samples: seen.ours, references },
    ]);
  }
}

/** A server in this process, so that every statement can be counted; with batches as in the profile `laptop`. */
async function count(atOnce: number) {
  await using app = await startApp({ env: { RECORDPROOF_PROFILE: 'laptop' } });
  const alice = await app.person('alice');
  const target = { url: `${alice.baseUrl}/api/v1/files/upload`, token: alice.token ?? '' };
  await sendAll(target, 8, 8);
  await app.drain();
  const counted = countStatements();
  await sendAll(target, files, atOnce);
  const stored = counted.read();
  await app.drain();
  app.clock.advance(60_000);
  await app.drain();
  const proven = counted.read();
  const proofs = await app.app.database.db.selectFrom('proof').select('id').execute();
  if (proofs.length < files) throw new Error(`${proofs.length} of ${files} files are proven`);
  if (process.env.BENCH_STATEMENTS) {
    const texts = [...counted.texts].sort((a, b) => b[1] - a[1]).slice(0, 40);
    for (const [text, times] of texts) console.log(`${(times / files).toFixed(2)}  ${text.slice(0, 150)}`);
  }
  return { stored, proven };
}

/** Repeated: the number of files that share a statement depends on their arrival times. */
async function reportCosts(atOnce: number): Promise<void> {
  const all: Awaited<ReturnType<typeof count>>[] = [];
  for (let round = 0; round < countRounds; round += 1) all.push(await count(atOnce));
  const figure = (until: 'stored' | 'proven', unit: 'statements' | 'commits') => ({
    ...{ name: `until ${until}`, unit },
    samples: all.map(one => one[until][unit] / files),
  });
  printFigures(`what a file costs SQLite, ${atOnce} at once`, [
    figure('stored', 'statements'),
    figure('stored', 'commits'),
    figure('proven', 'statements'),
    figure('proven', 'commits'),
  ]);
}

if (onServices && !canMeasure('small files on services', ...servicePrograms)) process.exit();
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
try {
  if (rounds > 0) await compare(folder);
  if (!onServices) for (const atOnce of [64, 1]) await reportCosts(atOnce);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
