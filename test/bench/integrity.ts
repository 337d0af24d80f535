// Benchmark of a LIGHTWEIGHT check of many small files on the embedded store: speed, and memory of the server, over a
// tenth of the files and over all, in a freshly started process.
//   node test/bench/integrity.ts [files] [sqlite|postgres]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient } from '@recordproof/shared/api/client.ts';
import { checkIntegrity } from '@recordproof/shared/api/integrity.ts';
import { canMeasure, printFigures } from '../support/bench-figures.ts';
import { startBenchServer } from '../support/bench-server.ts';
import { pattern } from '../support/bytes.ts';
import { residentOf } from '../support/large-proof.ts';
import { postgres, postgresPrograms, stopPostgres } from '../support/postgres.ts';
import { readThreadTimes, timesSince } from '../support/thread-times.ts';
import { sendMany } from '../support/uploads.ts';

const files = Number(process.argv[2] ?? 100_000);
const engine = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite';
const filesACall = 500;
const rounds = 3;
/** Longer than a client waits by default: a busy machine is slow. */
const timeoutMs = 290_000;

type Settings = Readonly<Record<string, string>>;

async function store(folder: string, settings: Settings, above: number, upTo: number): Promise<void> {
  const { server, alice } = await startBenchServer(folder, settings);
  await using _server = server;
  for (let stored = above; stored < upTo; stored += filesACall) {
    const count = Math.min(filesACall, upTo - stored);
    const batch = await Promise.all(Array.from({ length: count }, (_, nth) => pattern(200, stored + nth)));
    const { status, message } = await sendMany(
      alice,
      batch.map(bytes => ({ bytes })),
    );
    if (status !== 200) throw new Error(message);
  }
}

async function check(folder: string, settings: Settings, count: number): Promise<void> {
  const { server, alice } = await startBenchServer(folder, settings);
  await using _server = server;
  const client = openClient({ baseUrl: server.url, token: () => alice.token, timeoutMs });
  const seen = { rate: [] as number[], cost: [] as number[], most: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    let most = 0;
    const sampling = setInterval(() => {
      most = Math.max(most, residentOf(server.pid));
    }, 100);
    const before = await readThreadTimes(server.pid);
    const startedAt = performance.now();
    const result = await client.call(checkIntegrity, { body: { level: 'LIGHTWEIGHT' } });
    const seconds = (performance.now() - startedAt) / 1000;
    clearInterval(sampling);
    const cost = [...timesSince(before, await readThreadTimes(server.pid)).values()].reduce((sum, one) => sum + one, 0);
    if (result.mismatchesFound + result.errorsEncountered > 0) throw new Error('whole files were not found whole');
    seen.rate.push(result.totalChecked / seconds);
    seen.cost.push((cost * 1e6) / result.totalChecked);
    seen.most.push(most);
  }
  printFigures(`${engine}, ${count} files`, [
    { name: 'check', unit: 'objects/s', samples: seen.rate, note: '(>= 2000)' },
    { name: 'each object', unit: 'µs of processor', samples: seen.cost },
    { name: 'memory at most', unit: 'MiB', samples: seen.most, note: '(as much for a tenth)' },
  ]);
}

if (engine === 'postgres' && !canMeasure('PostgreSQL', ...postgresPrograms)) process.exit();
// Registered after the server: what is used last is disposed of first.
await using _services = { [Symbol.asyncDispose]: stopPostgres };
const settings: Settings = engine === 'sqlite' ? {} : { DATABASE_URL: (await (await postgres()).freshDatabase()).url };
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
try {
  const few = Math.ceil(files / 10);
  await store(folder, settings, 0, few);
  await check(folder, settings, few);
  await store(folder, settings, few, files);
  await check(folder, settings, files);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
