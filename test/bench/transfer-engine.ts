// What hashing, sending and both together cost the client, and how much memory it takes: node test/bench/transfer-engine.ts
// [MiB] [rounds]. The server is the small one of the tests, so only the ratios say something.
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

const line = (name: string, { seconds, cpu }: { seconds: number; cpu: number }): void =>
  console.log(
    `${name.padEnd(28)} ${seconds.toFixed(2)} s  ${Math.round(size / seconds)} MiB/s  cpu ${cpu.toFixed(2)} s`,
  );

const fastest = new Map<string, number>();
const best = ({ seconds }: { seconds: number }, name: string): void => {
  fastest.set(name, Math.min(seconds, fastest.get(name) ?? Number.POSITIVE_INFINITY));
};

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

try {
  await makeFile();
  for (let round = 0; round < rounds; round++) {
    console.log(`round ${round + 1}, ${size} MiB`);
    const known = new Map<string, string>();
    await using source = await openFileSource(path, pool);
    const chunkSize = recommendChunkSize(source.size);
    const hashing = await timed(async () => {
      const starts = Array.from({ length: Math.ceil(source.size / chunkSize) }, (_none, index) => index * chunkSize);
      const loop = async () => {
        for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
          const end = Math.min(source.size, start + chunkSize);
          known.set(`${start}-${end}`, await source.digest(start, end));
        }
      };
      await Promise.all(Array.from({ length: pool.size }, loop));
    });
    line('hashing alone', hashing);
    const sending = await timed(() => upload('direct', async (start, end) => known.get(`${start}-${end}`) ?? ''));
    line('direct, hashes known', sending);
    const both = await timed(() => upload('direct'));
    line('direct, hashing too', both);
    best(hashing, 'hashing');
    best({ seconds: sending.seconds - sending.result.tail }, 'sending');
    best({ seconds: both.seconds - both.result.tail }, 'both');
    const tail = (sending.result.tail + both.result.tail) / 2;
    const slower = Math.max(hashing.seconds, sending.seconds - tail);
    console.log(
      `  without completing (${tail.toFixed(2)} s): ${((both.seconds - tail) / slower).toFixed(2)} × the slower of the two`,
    );
    console.log(`  with completing: ${(both.seconds / Math.max(hashing.seconds, sending.seconds)).toFixed(2)} ×`);
    line('proxied, hashing beside', await timed(() => upload('proxied')));
    const openSink = () =>
      openFileSink({
        target: join(folder, `back-${round}`),
        key: 'x',
        mayReplace: true,
        lockFolder: join(folder, 'state'),
        pool,
      });
    const { fileHash } = both.result;
    line(
      'verified download',
      await timed(() => downloadFile({ source: ownFile(fileHash), openSink }, { server: serverPort, http })),
    );
    await rm(join(folder, `back-${round}`));
    console.log(`  peak memory so far ${Math.round(peak / MiB)} MiB`);
  }
  const [hashing = 0, sending = 0, both = 0] = ['hashing', 'sending', 'both'].map(name => fastest.get(name));
  const ratio = (both / Math.max(hashing, sending)).toFixed(2);
  console.log(`fastest of all rounds, without completing: both ${both.toFixed(2)} s = ${ratio} × the slower of`);
  console.log(`  hashing ${hashing.toFixed(2)} s and sending ${sending.toFixed(2)} s`);
} finally {
  clearInterval(watch);
  await rm(folder, { recursive: true, force: true });
}
