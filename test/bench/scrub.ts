// Benchmark of the scrub over many chunks: speed, memory of the server, cost for concurrent uploads, and whether one
// pass finds every damaged chunk.
//   node test/bench/scrub.ts [chunks] [damaged]
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toObjectPath } from '@recordproof/server/platform/objects/disk-layout.ts';
import { type Client, openClient } from '@recordproof/shared/api/client.ts';
import { getIntegrityScrub, listIntegrityAlerts } from '@recordproof/shared/api/integrity.ts';
import Database from 'better-sqlite3';
import { printFigures } from '../support/bench-figures.ts';
import { startBenchServer } from '../support/bench-server.ts';
import { pattern } from '../support/bytes.ts';
import { residentOf } from '../support/large-proof.ts';
import { sendMany } from '../support/uploads.ts';

const chunks = Number(process.argv[2] ?? 100_000);
const damaged = Number(process.argv[3] ?? 500);
const chunkBytes = 2000;
const filesACall = 500;
const pollMs = 250;
const reportMs = 10_000;
/** A slow answer is measured, not rejected. */
const timeoutMs = 600_000;
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const withoutScrub = { INTEGRITY_SCRUB_ENABLED: 'false', INTEGRITY_CHECK_ENABLED: 'false' };
const withScrub = { INTEGRITY_SCRUB_BYTES_PER_SECOND: '100GB', INTEGRITY_CHECK_ENABLED: 'false' };

type BenchClient = Parameters<typeof sendMany>[0];

async function send(alice: BenchClient, seed: number, count: number): Promise<void> {
  const batch = await Promise.all(Array.from({ length: count }, (_, nth) => pattern(chunkBytes, seed + nth)));
  const { status, message, data } = await sendMany(
    alice,
    batch.map(bytes => ({ bytes })),
  );
  const failed = data?.results.find(result => result.status !== 'STORED');
  if (status !== 200 || failed) throw new Error(failed ? JSON.stringify(failed) : message);
}

/** Files per second over ten calls. */
async function uploadRate(alice: BenchClient, seed: number): Promise<number> {
  const startedAt = performance.now();
  for (let call = 0; call < 10; call += 1) await send(alice, seed + call * 100, 100);
  return Math.round(1_000_000 / (performance.now() - startedAt));
}

/** Prints at most one line in ten seconds. */
function openProgress(): (line: () => string) => void {
  const startedAt = performance.now();
  let reportAt = startedAt + reportMs;
  return line => {
    const now = performance.now();
    if (now < reportAt) return;
    reportAt = now + reportMs;
    process.stderr.write(`${Math.round((now - startedAt) / 1000)} s: ${line()}\n`);
  };
}

async function store(): Promise<void> {
  const { server, alice } = await startBenchServer(folder, withoutScrub);
  await using _server = server;
  const report = openProgress();
  for (let stored = 0; stored < chunks; stored += filesACall) {
    await send(alice, stored, Math.min(filesACall, chunks - stored));
    report(() => `${stored + filesACall} of ${chunks} files stored`);
  }
}

/** Flips a bit in evenly spread objects, and makes all objects due. */
async function damage(): Promise<void> {
  const db = new Database(join(folder, 'recordproof.db'));
  const paths = db.prepare("select path from stored_object where state = 'LIVE' order by id").pluck().all() as string[];
  db.exec(`update stored_object set verified_at = 1;
    delete from stored_object_hour;
    insert into stored_object_hour select tenant_id, 0, count(*), sum(size) from stored_object group by tenant_id`);
  db.close();
  for (let nth = 0; nth < damaged; nth += 1) {
    const { folders, file } = toObjectPath(paths[Math.floor((nth * paths.length) / damaged)] ?? '');
    const path = join(folder, 'objects', 'objects', ...folders, file);
    const bytes = await readFile(path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(path, bytes);
  }
}

type Pass = { readonly seconds: number; readonly slowestStatusMs: number };

/** Waits until nothing is due; counts the seconds from the first object that was read. */
async function waitForPass(client: Client, look: (dueObjects: number, isReading: boolean) => void): Promise<Pass> {
  let startedAt = Number.NaN;
  let slowestStatusMs = 0;
  for (;;) {
    const askedAt = performance.now();
    const { dueObjects } = await client.call(getIntegrityScrub);
    const now = performance.now();
    slowestStatusMs = Math.max(slowestStatusMs, now - askedAt);
    if (dueObjects < chunks && Number.isNaN(startedAt)) startedAt = now;
    if (dueObjects === 0) return { seconds: (now - startedAt) / 1000, slowestStatusMs };
    look(dueObjects, !Number.isNaN(startedAt));
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
}

async function scrub(): Promise<void> {
  const { server, alice } = await startBenchServer(folder, withScrub);
  await using _server = server;
  const client = openClient({ baseUrl: server.url, token: () => alice.token, timeoutMs: timeoutMs });
  const before = await uploadRate(alice, 10_000_000);
  const memory = { least: residentOf(server.pid), most: 0 };
  let beside: Promise<number> | undefined;
  const report = openProgress();
  const { seconds, slowestStatusMs } = await waitForPass(client, (dueObjects, isReading) => {
    memory.most = Math.max(memory.most, residentOf(server.pid));
    report(() => `${dueObjects} of ${chunks} chunks due, ${Math.round(memory.most)} MiB at most`);
    if (isReading) beside ??= uploadRate(alice, 20_000_000);
  });
  const { total } = await client.call(listIntegrityAlerts, { query: { status: 'PENDING' } });
  if (total !== damaged) throw new Error(`${total} of ${damaged} damaged chunks were found`);
  const uploads = (await beside) ?? Number.NaN; // a short pass may end before the first poll
  printFigures(`${chunks} chunks, ${damaged} damaged, all found`, [
    { name: 'pass', unit: 'chunks/s', samples: chunks / seconds },
    { name: 'slowest answer about the status', unit: 'ms', samples: slowestStatusMs },
    { name: 'memory before', unit: 'MiB', samples: memory.least },
    { name: 'memory at most', unit: 'MiB', samples: memory.most },
    { name: 'uploads beside it', unit: 'files/s', samples: uploads, references: { 'uploads before it': before } },
  ]);
}

try {
  await store();
  await damage();
  await scrub();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
