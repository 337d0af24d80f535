// Small files, each acknowledged as durable with its evidence begun, against a bare node:http handler that writes the same
// file durably and one row in one durable transaction, in turns; and what one file costs the database from the request to
// its finished proof. With the word `services` the server stands on PostgreSQL, S3, Redis and RabbitMQ, all on this machine.
// Run: node test/bench/small-files.ts [services] [files] [rounds] [bytes]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApp } from '../support/app.ts';
import { startBenchServer } from '../support/bench-server.ts';
import { startBenchServices } from '../support/bench-services.ts';
import { collectOutput, stopChild } from '../support/child-process.ts';
import { printTable, toSpread } from '../support/rounds.ts';
import { countStatements } from '../support/statement-count.ts';

const words = process.argv.slice(2);
const onServices = words.includes('services');
const [files = 400, rounds = 5, bytes = 10 * 1024] = words.filter(word => word !== 'services').map(Number);
const boundary = 'bench-boundary';
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="small.bin"\r\n\r\n`;
const body = Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 7), Buffer.from(`\r\n--${boundary}--\r\n`)]);

type Row = readonly [name: string, ...figures: string[]];
type Door = { readonly url: string; readonly token: string };

function send(agent: Agent, { url, token }: Door): Promise<void> {
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

/** Files a second. */
async function sendAll(door: Door, count: number, atOnce: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const started = performance.now();
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await send(agent, door);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  agent.destroy();
  return (count * 1000) / (performance.now() - started);
}

async function startBare(folder: string): Promise<Door & AsyncDisposable> {
  const program = fileURLToPath(new URL('../support/children/bare-store.ts', import.meta.url));
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = collectOutput(child);
  await once(child.stdout, 'data');
  return { url: output().trim(), token: '', [Symbol.asyncDispose]: () => stopChild(child) };
}

async function compare(folder: string): Promise<void> {
  await using services = onServices ? await startBenchServices() : null;
  const { server, alice } = await startBenchServer(join(folder, 'ours'), services?.env);
  await using _ours = server;
  await using bare = await startBare(join(folder, 'bare'));
  const ours = { url: `${server.url}/api/v1/files/upload`, token: alice.token ?? '' };
  const rows: Row[] = [['', 'bare node:http, files/s', 'files/s', 'of the bare handler']];
  for (const atOnce of [64, 1]) {
    const count = atOnce === 1 ? Math.ceil(files / 4) : files;
    const seen = { bare: [] as number[], ours: [] as number[], ratio: [] as number[] };
    for (const door of [bare, ours]) await sendAll(door, count, atOnce); // warm
    for (let round = 0; round < rounds; round += 1) {
      const theirs = await sendAll(bare, count, atOnce);
      const rate = await sendAll(ours, count, atOnce);
      seen.bare.push(theirs);
      seen.ours.push(rate);
      seen.ratio.push(rate / theirs);
    }
    rows.push([`${atOnce} at once`, toSpread(seen.bare), toSpread(seen.ours), toSpread(seen.ratio, 2)]);
  }
  printTable(rows);
}

/** In this process, so that every statement can be counted; with proofs as the profile `laptop` makes them. */
async function count(atOnce: number): Promise<Row> {
  await using app = await startApp({ env: { RECORDPROOF_PROFILE: 'laptop' } });
  const alice = await app.person('alice');
  const door = { url: `${alice.baseUrl}/api/v1/files/upload`, token: alice.token ?? '' };
  await sendAll(door, 8, 8);
  await app.drain();
  const counted = countStatements();
  await sendAll(door, files, atOnce);
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
  const each = (total: number) => (total / files).toFixed(2);
  return [
    `${atOnce} at once`,
    each(stored.statements),
    each(stored.commits),
    each(proven.statements),
    each(proven.commits),
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
try {
  console.log(`${files} files of ${bytes} bytes, ${rounds} rounds: median (lowest to highest)\n`);
  if (rounds > 0) await compare(folder);
  if (!onServices) {
    console.log('\nwhat a file costs the database (SQLite)\n');
    const titles: Row = [
      '',
      'statements until all are stored',
      'commits',
      'statements until all are proven',
      'commits',
    ];
    printTable([titles, await count(64), await count(1)]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
