// How fast the scrub goes over many chunks, what memory the server takes for it, what it costs uploads beside it, and
// whether one pass finds every damaged chunk.
//   node test/bench/scrub.ts [chunks] [damaged]
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toObjectPath } from '@recordproof/server/platform/objects/disk-layout.ts';
import { type Client, openClient } from '@recordproof/shared/api/client.ts';
import { getIntegrityScrub, listIntegrityAlerts } from '@recordproof/shared/api/integrity.ts';
import Database from 'better-sqlite3';
import { startBenchServer } from '../support/bench-server.ts';
import { pattern } from '../support/bytes.ts';
import { residentOf } from '../support/large-proof.ts';
import { printTable } from '../support/rounds.ts';
import { sendMany } from '../support/uploads.ts';

const chunks = Number(process.argv[2] ?? 100_000);
const damaged = Number(process.argv[3] ?? 500);
const chunkBytes = 2000;
const filesACall = 500;
const pollMs = 250;
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const withoutScrub = { INTEGRITY_SCRUB_ENABLED: 'false', INTEGRITY_CHECK_ENABLED: 'false' };
const withScrub = { INTEGRITY_SCRUB_BYTES_PER_SECOND: '100GB', INTEGRITY_CHECK_ENABLED: 'false' };

type BenchClient = Parameters<typeof sendMany>[0];

async function send(alice: BenchClient, seed: number, count: number): Promise<void> {
  const batch = await Promise.all(Array.from({ length: count }, (_, nth) => pattern(chunkBytes, seed + nth)));
  const { status, message } = await sendMany(
    alice,
    batch.map(bytes => ({ bytes })),
  );
  if (status !== 200) throw new Error(message);
}

/** Files per second over ten calls. */
async function uploadRate(alice: BenchClient, seed: number): Promise<number> {
  const startedAt = performance.now();
  for (let call = 0; call < 10; call += 1) await send(alice, seed + call * 100, 100);
  return Math.round(1_000_000 / (performance.now() - startedAt));
}

async function store(): Promise<void> {
  const { server, alice } = await startBenchServer(folder, withoutScrub);
  await using _server = server;
  for (let stored = 0; stored < chunks; stored += filesACall)
    await send(alice, stored, Math.min(filesACall, chunks - stored));
}

/** Flips a bit in evenly spread objects, and lets all of them be due. */
async function damage(): Promise<void> {
  const db = new Database(join(folder, 'recordproof.db'));
  const paths = db.prepare("select path from stored_object where state = 'LIVE' order by id").pluck().all() as string[];
  db.prepare('update stored_object set verified_at = 1').run();
  db.close();
  for (let nth = 0; nth < damaged; nth += 1) {
    const { folders, file } = toObjectPath(paths[Math.floor((nth * paths.length) / damaged)] ?? '');
    const path = join(folder, 'objects', 'objects', ...folders, file);
    const bytes = await readFile(path);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(path, bytes);
  }
}

/** Until nothing is due; answers the seconds from the first object that was read. */
async function waitForPass(client: Client, total: number, look: (isReading: boolean) => void): Promise<number> {
  let startedAt = Number.NaN;
  for (;;) {
    const { dueObjects } = await client.call(getIntegrityScrub);
    if (dueObjects < total && Number.isNaN(startedAt)) startedAt = performance.now();
    if (dueObjects === 0) return (performance.now() - startedAt) / 1000;
    look(!Number.isNaN(startedAt));
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
}

async function scrub(): Promise<[string, ...string[]][]> {
  const { server, alice } = await startBenchServer(folder, withScrub);
  await using _server = server;
  const client = openClient({ baseUrl: server.url, token: () => alice.token });
  const before = await uploadRate(alice, 10_000_000);
  const memory = { least: residentOf(server.pid), most: 0 };
  let beside: Promise<number> | undefined;
  const seconds = await waitForPass(client, chunks, isReading => {
    memory.most = Math.max(memory.most, residentOf(server.pid));
    if (isReading) beside ??= uploadRate(alice, 20_000_000);
  });
  const { total } = await client.call(listIntegrityAlerts, { query: { status: 'PENDING' } });
  if (total !== damaged) throw new Error(`${total} of ${damaged} damaged chunks were found`);
  return [
    ['chunks', String(chunks)],
    ['damaged, all found', String(damaged)],
    ['seconds of the pass', seconds.toFixed(1)],
    ['chunks per second', String(Math.round(chunks / seconds))],
    ['memory before and at most, MiB', `${Math.round(memory.least)}, ${Math.round(memory.most)}`],
    ['small files uploaded per second before it, and beside it', `${before}, ${(await beside) ?? 'not measured'}`],
  ];
}

try {
  await store();
  await damage();
  printTable(await scrub());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
