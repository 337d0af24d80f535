// Benchmark of the client's transfer engine: time of hashing, sending and both together, and memory: node
// test/bench/transfer-engine.ts [MiB] [rounds]. The server is the small one of the tests, so only the ratios are
// meaningful.
import { randomFillSync } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient } from '@recordproof/shared/api/client.ts';
import { recommendChunkSize } from '@recordproof/shared/api/uploads.ts';
import { openBulkHttp } from '@recordproof/shared/node/bulk-http.ts';
import { openFileSink } from '@recordproof/shared/node/file-sink.ts';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import { openHashPool } from '@recordproof/shared/node/hash-pool.ts';
import { openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import { ownFile } from '@recordproof/shared/transfer/download-source.ts';
import type { RangeDigest } from '@recordproof/shared/transfer/ports.ts';
import { uploadFile } from '@recordproof/shared/transfer/upload.ts';
import { printFigures } from '../support/bench-figures.ts';
import { startServerProcess } from '../support/transfer-server-child.ts';

const MiB = 1024 * 1024;
const [size = 1024, rounds = 3] = process.argv.slice(2).map(Number);
const folder = await mkdtemp(join(tmpdir(), 'recordproof-bench-'));
const path = join(folder, 'file.bin');

async function makeFile(): Promise<void> {
  await using file = await open(path, 'wx');
  const block = Buffer.alloc(8 * MiB);
  for (let written = 0; written < size * MiB; written += block.length) await file.write(randomFillSync(block));
  await file.sync();
}

let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 50);

async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; cpu: number; result: T }> {
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6, result };
}

type Round = Readonly<Record<'hashing' | 'sending' | 'both' | 'completing' | 'proxied' | 'download' | 'cpu', number>>;

await using server = await startServerProcess();
await using pool = openHashPool();
using http = openBulkHttp();
const client = openClient({ baseUrl: server.url, token: () => server.token, timeoutMs: 120_000 });
const serverPort = { client, baseUrl: server.url, token: async () => server.token };

async function upload(mode: 'direct' | 'proxied', digest?: RangeDigest) {
  await using source = await openFileSource(path, pool);
  await using journal = openUploadJournal(join(folder, 'state'), { path, server: server.url, account: 'bench' });
  const used = digest ? { ...source, digest } : source;
  const request = { source: used, mode, hashJobs: pool.size, resume: 'never' as const, jobs: 4 };
  let finishing = 0;
  const result = await uploadFile(
    { ...request, onProgress: ({ phase }) => (finishing ||= phase === 'finishing' ? performance.now() : 0) },
    { server: serverPort, http, journal },
  );
  return { ...result, tail: (performance.now() - finishing) / 1000 };
}

/** Hash of every chunk, by its range. */
async function hashAll(): Promise<Map<string, string>> {
  await using source = await openFileSource(path, pool);
  const known = new Map<string, string>();
  const chunkSize = recommendChunkSize(source.size);
  const starts = Array.from({ length: Math.ceil(source.size / chunkSize) }, (_none, index) => index * chunkSize);
  const loop = async () => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const end = Math.min(source.size, start + chunkSize);
      known.set(`${start}-${end}`, await source.digest(start, end));
    }
  };
  await Promise.all(Array.from({ length: pool.size }, loop));
  return known;
}

async function download(fileHash: string): Promise<void> {
  const target = join(folder, 'back');
  const openSink = () => openFileSink({ target, key: 'x', mayReplace: true, lockFolder: join(folder, 'state'), pool });
  await downloadFile({ source: ownFile(fileHash), openSink }, { server: serverPort, http });
  await rm(target);
}

async function measureRound(): Promise<Round> {
  const hashing = await timed(hashAll);
  const sending = await timed(() =>
    upload('direct', async (start, end) => hashing.result.get(`${start}-${end}`) ?? ''),
  );
  const both = await timed(() => upload('direct'));
  const proxied = await timed(() => upload('proxied'));
  const back = await timed(() => download(both.result.fileHash));
  return {
    hashing: hashing.seconds,
    sending: sending.seconds - sending.result.tail,
    both: both.seconds - both.result.tail,
    completing: (sending.result.tail + both.result.tail) / 2,
    proxied: proxied.seconds,
    download: back.seconds,
    cpu: both.cpu,
  };
}

try {
  await makeFile();
  const all: Round[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measureRound());
  const samplesOf = (name: keyof Round) => all.map(round => round[name]);
  const slower = all.map(({ hashing, sending }) => Math.max(hashing, sending));
  const figure = (name: string, key: keyof Round) => ({ name, unit: 's', samples: samplesOf(key) });
  printFigures(`a file of ${size} MiB`, [
    figure('hashing alone', 'hashing'),
    figure('direct, hashes known, without completing', 'sending'),
    {
      ...figure('direct, hashing too, without completing', 'both'),
      references: { 'slower of hashing and sending': slower },
    },
    figure('completing', 'completing'),
    figure('proxied, hashing beside', 'proxied'),
    figure('verified download', 'download'),
    { name: 'direct, hashing too', unit: 's of processor', samples: samplesOf('cpu') },
    { name: 'memory at most', unit: 'MiB', samples: peak / MiB },
  ]);
} finally {
  clearInterval(watch);
  await rm(folder, { recursive: true, force: true });
}
