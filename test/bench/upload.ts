// Uploads of one large file to the server, against nginx's WebDAV PUT (which neither hashes nor syncs) and @tus/server with
// its file store (likewise). The same curl sends the same parts to each, in turns; ratios are of the same round.
// Run: node test/bench/upload.ts [folder] [total MiB] [parts at once] [rounds]; with --large: 4 GiB and the peak memory.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/uploads.ts';
import { type BenchServer, startBenchServer } from '../support/bench-server.ts';
import { sendParts, startNginx, startTus, writeParts } from '../support/bench-uploads.ts';

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

type Round = Readonly<Record<'nginx' | 'tus' | 'direct' | 'directSent' | 'proxied' | 'proxiedSent', number>>;

async function measure(ours: Ours, references: References, parts: Parts, atOnce: number): Promise<Round> {
  const nginxStarted = performance.now();
  await references.nginx.put(parts, atOnce);
  const nginx = seconds(nginxStarted);
  const direct = await uploadDirect(ours, parts, atOnce);
  const tusStarted = performance.now();
  await references.tus.put(parts);
  const tus = seconds(tusStarted);
  const proxied = await uploadProxied(ours, parts, atOnce);
  const times = { nginx, tus, direct: direct.done, directSent: direct.sent, proxied: proxied.done };
  return { ...times, proxiedSent: proxied.sent };
}

type References = { nginx: Awaited<ReturnType<typeof startNginx>>; tus: Awaited<ReturnType<typeof startTus>> };

function report(what: string, total: number, rounds: readonly Round[]): Round {
  const rate = (name: keyof Round) => median(rounds.map(round => total / MiB / round[name]));
  const ratio = (name: keyof Round, reference: keyof Round) =>
    median(rounds.map(round => round[reference] / round[name])).toFixed(2);
  console.log(`${what}: nginx ${rate('nginx').toFixed(0)}, tus ${rate('tus').toFixed(0)} MiB/s`);
  for (const name of ['direct', 'directSent', 'proxied', 'proxiedSent'] as const) {
    const figures = `${ratio(name, 'nginx')} × nginx, ${ratio(name, 'tus')} × tus`;
    console.log(`  ${name.padEnd(12)} ${rate(name).toFixed(0).padStart(5)} MiB/s   ${figures}`);
  }
  return Object.fromEntries((Object.keys(rounds[0] ?? {}) as (keyof Round)[]).map(name => [name, rate(name)])) as Round;
}

async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function compare(base: string, total: number, atOnce: number, rounds: number): Promise<void> {
  const rates: Round[] = [];
  for (const partSize of [50 * MiB, 2 * MiB]) {
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round += 1) {
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
      const times = await measure(ours, { nginx, tus }, parts, atOnce);
      if (round > 0) measured.push(times); // the first one warms the machine up
      console.log(`  peak memory of the server ${(await peakMiB(ours.server.pid)).toFixed(0)} MiB`);
    }
    rates.push(report(`${partSize / MiB} MiB parts, ${atOnce} at once`, total, measured));
  }
  const [large, small] = rates as [Round, Round];
  const share = (name: keyof Round) => (small[name] / large[name]).toFixed(2);
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
