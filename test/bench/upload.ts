// Uploads of one large file to the server, against nginx's WebDAV PUT (which neither hashes nor syncs), @tus/server with
// its file store (likewise), and `openssl dgst -sha256` of the same bytes on one core. The same curl sends the same parts to
// each, in turns; ratios are of the same round. The processor seconds of the server are told by its threads.
// Run: node test/bench/upload.ts [folder] [total MiB] [parts at once] [rounds]; with --large: 4 GiB and the peak memory.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/uploads.ts';
import { type BenchServer, startBenchServer } from '../support/bench-server.ts';
import { hashByOpenssl, sendParts, startNginx, startTus, writeParts } from '../support/bench-uploads.ts';
import { readThreadTimes, type ThreadTimes, timesSince } from '../support/thread-times.ts';

const MiB = 2 ** 20;
const seconds = (since: number): number => (performance.now() - since) / 1000;
const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

type Ours = BenchServer;
type Parts = Awaited<ReturnType<typeof writeParts>>;
/** Until every part was acknowledged, and until the file was. */
type Times = { readonly sent: number; readonly done: number };

const toPlan = ({ total, size, paths }: Parts) => ({
  fileName: 'bench.bin',
  fileSize: total,
  chunkSize: size,
  totalChunks: paths.length,
});

/** Completing may take longer than a call waits: whoever asks again gets the answer. */
async function untilAnswered<T>(complete: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await complete();
    } catch (error) {
      const isTooEarly =
        (error instanceof TransportError && error.failure === 'timed-out') ||
        (error instanceof ApiError && error.status === 503);
      if (!isTooEarly) throw error;
    }
  }
}

async function uploadDirect({ alice }: Ours, parts: Parts, atOnce: number): Promise<Times> {
  const body = { ...toPlan(parts), parts: parts.announced };
  const started = performance.now();
  const session = await alice.call(api.startDirectUpload, { body });
  await sendParts(
    session.parts.map((part, index) => ({ url: part.uploadUrl, path: parts.paths[index] ?? '', headers: [] })),
    atOnce,
  );
  const sent = seconds(started);
  const params = { clientId: session.clientId };
  const result = await untilAnswered(() => alice.call(api.completeDirectUpload, { params, body: { parts: [] } }));
  if (result.contentHash !== parts.contentHash) throw new Error('another content hash');
  return { sent, done: seconds(started) };
}

async function uploadProxied({ alice }: Ours, parts: Parts, atOnce: number): Promise<Times> {
  const started = performance.now();
  const { clientId } = await alice.call(api.createUploadSession, { body: toPlan(parts) });
  const headers = [`Authorization: Bearer ${alice.token}`];
  const url = (index: number) => `${alice.baseUrl}/api/v1/upload-sessions/${clientId}/parts/${index}`;
  await sendParts(
    parts.paths.map((path, index) => ({ url: url(index), path, headers })),
    atOnce,
  );
  const sent = seconds(started);
  const result = await untilAnswered(() => alice.call(api.completeUploadSession, { params: { clientId } }));
  if (result.contentHash !== parts.contentHash) throw new Error('another content hash');
  return { sent, done: seconds(started) };
}

const measured = ['direct', 'directSent', 'proxied', 'proxiedSent'] as const;
type Name = 'nginx' | 'tus' | 'openssl' | (typeof measured)[number];
type Round = { readonly times: Readonly<Record<Name, number>>; readonly threads: Readonly<Record<Way, ThreadTimes>> };
type Way = 'direct' | 'proxied';

/** With what the server's threads had to do for it. */
async function watched<T>({ server }: Ours, upload: () => Promise<T>): Promise<[T, ThreadTimes]> {
  const before = await readThreadTimes(server.pid);
  return [await upload(), timesSince(before, await readThreadTimes(server.pid))];
}

async function measure(ours: Ours, references: References, parts: Parts, atOnce: number): Promise<Round> {
  const nginxStarted = performance.now();
  await references.nginx.put(parts, atOnce);
  const nginx = seconds(nginxStarted);
  const [direct, directThreads] = await watched(ours, () => uploadDirect(ours, parts, atOnce));
  const tusStarted = performance.now();
  await references.tus.put(parts);
  const tus = seconds(tusStarted);
  const [proxied, proxiedThreads] = await watched(ours, () => uploadProxied(ours, parts, atOnce));
  const opensslStarted = performance.now();
  await hashByOpenssl(parts);
  const openssl = seconds(opensslStarted);
  return {
    times: {
      ...{ nginx, tus, openssl },
      ...{ direct: direct.done, directSent: direct.sent, proxied: proxied.done, proxiedSent: proxied.sent },
    },
    threads: { direct: directThreads, proxied: proxiedThreads },
  };
}

type References = { nginx: Awaited<ReturnType<typeof startNginx>>; tus: Awaited<ReturnType<typeof startTus>> };

type Rates = Readonly<Record<Way, number>>;

function report(what: string, total: number, rounds: readonly Round[]): Rates {
  const rate = (name: Name) => median(rounds.map(({ times }) => total / MiB / times[name]));
  const ratio = (name: Name, reference: Name) =>
    median(rounds.map(({ times }) => times[reference] / times[name])).toFixed(2);
  const references = (['nginx', 'tus', 'openssl'] as const).map(name => `${name} ${rate(name).toFixed(0)}`);
  console.log(`${what}: ${references.join(', ')} MiB/s`);
  for (const name of measured) {
    const figures = `${ratio(name, 'openssl')} × openssl, ${ratio(name, 'tus')} × tus, ${ratio(name, 'nginx')} × nginx`;
    console.log(`  ${name.padEnd(12)} ${rate(name).toFixed(0).padStart(5)} MiB/s   ${figures}`);
  }
  for (const way of ['direct', 'proxied'] as const) reportThreads(way, total, rounds);
  return { direct: rate('direct'), proxied: rate('proxied') };
}

function reportThreads(way: Way, total: number, rounds: readonly Round[]): void {
  const perGiB = (stage: string) =>
    median(rounds.map(({ threads }) => ((threads[way].get(stage) ?? 0) * 1024 * MiB) / total));
  const stages = ['main thread', 'worker threads', 'file operations', 'engine'];
  const told = stages.map(stage => `${stage} ${perGiB(stage).toFixed(2)}`).join(', ');
  const sum = stages.reduce((seconds, stage) => seconds + perGiB(stage), 0).toFixed(2);
  console.log(`  ${way.padEnd(12)} ${sum} s of processor per GiB: ${told}`);
}

async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function compare(base: string, total: number, atOnce: number, rounds: number): Promise<void> {
  const rates: Rates[] = [];
  for (const partSize of [50 * MiB, 2 * MiB]) {
    const all: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await using cleanUp = new AsyncDisposableStack();
      const folder = await mkdtemp(join(base, 'recordproof-bench-'));
      const memory = await mkdtemp('/dev/shm/recordproof-bench-');
      cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
      cleanUp.defer(() => rm(memory, { recursive: true, force: true }));
      const parts = await writeParts(memory, total, partSize);
      const ours = await startBenchServer(join(folder, 'ours'));
      cleanUp.use(ours.server);
      const nginx = cleanUp.use(await startNginx(join(folder, 'nginx')));
      const tus = cleanUp.use(await startTus(join(folder, 'tus')));
      const measureOnce = () => measure(ours, { nginx, tus }, parts, atOnce);
      await measureOnce(); // servers run for weeks: what the first minute of one costs is no part of it
      all.push(await measureOnce());
      console.log(`  peak memory of the server ${(await peakMiB(ours.server.pid)).toFixed(0)} MiB`);
    }
    rates.push(report(`${partSize / MiB} MiB parts, ${atOnce} at once`, total, all));
  }
  const [large, small] = rates as [Rates, Rates];
  const share = (name: Way) => (small[name] / large[name]).toFixed(2);
  console.log(`2 MiB parts reach ${share('direct')} (direct) and ${share('proxied')} (proxied) of the rate of 50 MiB`);
}

async function upLarge(base: string, total: number, atOnce: number): Promise<void> {
  for (const kind of ['direct', 'proxied'] as const) {
    await using cleanUp = new AsyncDisposableStack();
    const folder = await mkdtemp(join(base, 'recordproof-bench-'));
    cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
    const parts = await writeParts(folder, total, 50 * MiB);
    const ours = await startBenchServer(join(folder, 'ours'));
    cleanUp.use(ours.server);
    const upload = kind === 'direct' ? uploadDirect : uploadProxied;
    const { sent, done } = await upload(ours, parts, atOnce);
    const peak = await peakMiB(ours.server.pid);
    const rate = (total / MiB / done).toFixed(0);
    console.log(
      `${kind}: ${total / MiB} MiB in ${done.toFixed(1)} s (${rate} MiB/s; sent after ${sent.toFixed(1)} s), peak memory ${peak.toFixed(0)} MiB`,
    );
  }
}

const isLarge = process.argv.includes('--large');
const [base = tmpdir(), total = isLarge ? '4096' : '1024', atOnce = '2', rounds = '5'] = process.argv
  .slice(2)
  .filter(argument => !argument.startsWith('--'));
if (isLarge) await upLarge(base, Number(total) * MiB, Number(atOnce));
else await compare(base, Number(total) * MiB, Number(atOnce), Number(rounds));
