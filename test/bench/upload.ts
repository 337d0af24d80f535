// Uploads of one large file to the server, against nginx's WebDAV PUT (which neither hashes nor syncs), @tus/server with
// its file store (likewise), and `openssl dgst -sha256` of the same bytes on one core. The same curl sends the same parts to
// each, in turns; ratios are of the same round. The processor seconds of the server are told by its threads, and compared
// with those of two SHA-256 and one AES-256-GCM by node:crypto over the same bytes on two threads at once.
// Run: node test/bench/upload.ts [folder] [total MiB] [parts at once] [rounds]; with --large: 4 GiB and the peak memory.
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransportError } from '@recordproof/shared/api/client.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { canMeasure, printFigures } from '../support/bench-figures.ts';
import { type BenchServer, startBenchServer } from '../support/bench-server.ts';
import {
  encryptAndHash,
  hashByOpenssl,
  nginxPrograms,
  sendParts,
  startNginx,
  startTus,
  tusPrograms,
  writeParts,
} from '../support/bench-uploads.ts';
import { residentOf } from '../support/large-proof.ts';
import { readThreadTimes, type ThreadTimes, timesSince } from '../support/thread-times.ts';

const MiB = 2 ** 20;
const seconds = (since: number): number => (performance.now() - since) / 1000;

type Ours = BenchServer;
type Parts = Awaited<ReturnType<typeof writeParts>>;
/** Time until every part was acknowledged, and until the file was. */
type Times = { readonly sent: number; readonly done: number };

const toPlan = ({ total, size, paths }: Parts) => ({
  fileName: 'bench.bin',
  fileSize: total,
  chunkSize: size,
  totalChunks: paths.length,
});

/** Completing may take longer than the timeout of a call: a repeated call gets the answer. */
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
  const session = await alice.call(directApi.startDirectUpload, { body });
  await sendParts(
    session.parts.map((part, index) => ({ url: part.uploadUrl, path: parts.paths[index] ?? '', headers: [] })),
    atOnce,
  );
  const sent = seconds(started);
  const params = { clientId: session.clientId };
  const result = await untilAnswered(() => alice.call(directApi.completeDirectUpload, { params, body: { parts: [] } }));
  if (result.contentHash !== parts.contentHash) throw new Error('another content hash');
  return { sent, done: seconds(started) };
}

async function uploadProxied({ alice }: Ours, parts: Parts, atOnce: number): Promise<Times> {
  const started = performance.now();
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: toPlan(parts) });
  const headers = [`Authorization: Bearer ${alice.token}`];
  const url = (index: number) => `${alice.baseUrl}/api/v1/upload-sessions/${clientId}/parts/${index}`;
  await sendParts(
    parts.paths.map((path, index) => ({ url: url(index), path, headers })),
    atOnce,
  );
  const sent = seconds(started);
  const result = await untilAnswered(() => alice.call(sessionApi.completeUploadSession, { params: { clientId } }));
  if (result.contentHash !== parts.contentHash) throw new Error('another content hash');
  return { sent, done: seconds(started) };
}

const ways = ['direct', 'proxied'] as const;
type Way = (typeof ways)[number];
const references = ['openssl', 'tus', 'nginx'] as const;
/** The parts in the form that each side takes; null for programs that this machine lacks. */
type References = Readonly<Record<(typeof references)[number], ((parts: Parts) => Promise<void>) | null>>;
type Measured = Times & { readonly threads: ThreadTimes };
type Round = Readonly<Record<(typeof references)[number], number> & Record<Way, Measured>> & {
  readonly peak: number;
  /** Processor seconds of the reference. */
  readonly crypto: number;
};

async function measureWay(ours: Ours, way: Way, parts: Parts, atOnce: number): Promise<Measured> {
  const before = await readThreadTimes(ours.server.pid);
  const times = await (way === 'direct' ? uploadDirect : uploadProxied)(ours, parts, atOnce);
  return { ...times, threads: timesSince(before, await readThreadTimes(ours.server.pid)) };
}

async function measure(ours: Ours, theirs: References, parts: Parts, atOnce: number): Promise<Round> {
  const time = async (reference: keyof References): Promise<number> => {
    const started = performance.now();
    await theirs[reference]?.(parts);
    return theirs[reference] === null ? Number.NaN : seconds(started);
  };
  return {
    nginx: await time('nginx'),
    direct: await measureWay(ours, 'direct', parts, atOnce),
    tus: await time('tus'),
    proxied: await measureWay(ours, 'proxied', parts, atOnce),
    openssl: await time('openssl'),
    crypto: await encryptAndHash(parts),
    peak: residentOf(ours.server.pid, 'VmHWM'),
  };
}

type Rates = Readonly<Record<Way, readonly number[]>>;

function report(group: string, total: number, rounds: readonly Round[], large: Rates | undefined): Rates {
  const toRates = (toSeconds: (round: Round) => number) => rounds.map(round => total / MiB / toSeconds(round));
  const theirs = Object.fromEntries(references.map(name => [name, toRates(round => round[name])]));
  const own = { direct: toRates(round => round.direct.done), proxied: toRates(round => round.proxied.done) };
  const perGiB = (seconds: number) => (seconds * 1024 * MiB) / total;
  const stages = ['main thread', 'worker threads', 'file operations', 'engine'];
  const secondsOf = (round: Round, way: Way, ...some: readonly string[]) =>
    some.reduce((sum, stage) => sum + (round[way].threads.get(stage) ?? 0), 0);
  const crypto = rounds.map(round => perGiB(round.crypto));
  const processor = { unit: 's of processor per GiB', references: { 'two SHA-256, one AES-256-GCM': crypto } };
  printFigures(group, [
    ...ways.flatMap(way => [
      {
        ...{ name: way, unit: 'MiB/s', samples: own[way] },
        references: { ...theirs, ...(large && { [`50 MiB parts, ${way}`]: large[way] }) },
      },
      { name: `${way}, until sent`, unit: 'MiB/s', samples: toRates(round => round[way].sent), references: theirs },
    ]),
    ...ways.flatMap(way => [
      ...stages.map(stage => ({
        ...processor,
        name: `${way}, ${stage}`,
        samples: rounds.map(round => perGiB(secondsOf(round, way, stage))),
      })),
      {
        ...processor,
        name: `${way}, all threads`,
        samples: rounds.map(round => perGiB(secondsOf(round, way, ...stages))),
      },
      {
        name: `${way}, main thread's share`,
        unit: 'of all threads',
        samples: rounds.map(round => secondsOf(round, way, 'main thread') / secondsOf(round, way, ...stages)),
      },
    ]),
    { name: 'memory at most', unit: 'MiB', samples: rounds.map(({ peak }) => peak) },
  ]);
  return own;
}

/** A memory disk for what is sent, where there is one with room. */
async function findPartsBase(base: string, total: number): Promise<string> {
  const free = await statfs('/dev/shm').then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  if (free > 1.1 * total) return '/dev/shm';
  console.log(`/dev/shm has no room for ${total / MiB} MiB: the parts are read from ${base}`);
  return base;
}

async function measureFresh(base: string, total: number, partSize: number, atOnce: number): Promise<Round> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(base, 'recordproof-bench-'));
  const memory = await mkdtemp(join(await findPartsBase(base, total), 'recordproof-bench-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  cleanUp.defer(() => rm(memory, { recursive: true, force: true }));
  const parts = await writeParts(memory, total, partSize);
  const ours = await startBenchServer(join(folder, 'ours'));
  cleanUp.use(ours.server);
  const nginx = hasNginx ? cleanUp.use(await startNginx(join(folder, 'nginx'))) : null;
  const tus = hasTus ? cleanUp.use(await startTus(join(folder, 'tus'))) : null;
  const theirs = {
    openssl: hasOpenssl ? hashByOpenssl : null,
    tus: tus === null ? null : tus.put,
    nginx: nginx === null ? null : (them: Parts) => nginx.put(them, atOnce),
  };
  await measure(ours, theirs, parts, atOnce); // the start-up cost is excluded: servers run for weeks
  return await measure(ours, theirs, parts, atOnce);
}

async function compare(base: string, total: number, atOnce: number, rounds: number): Promise<void> {
  let large: Rates | undefined;
  for (const partSize of [50 * MiB, 2 * MiB]) {
    const all: Round[] = [];
    for (let round = 0; round < rounds; round += 1) all.push(await measureFresh(base, total, partSize, atOnce));
    large = report(`${total / MiB} MiB, ${partSize / MiB} MiB parts, ${atOnce} at once`, total, all, large);
  }
}

async function upLarge(base: string, total: number, atOnce: number): Promise<void> {
  for (const kind of ways) {
    await using cleanUp = new AsyncDisposableStack();
    const folder = await mkdtemp(join(base, 'recordproof-bench-'));
    cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
    const parts = await writeParts(folder, total, 50 * MiB);
    const ours = await startBenchServer(join(folder, 'ours'));
    cleanUp.use(ours.server);
    const { sent, done } = await measureWay(ours, kind, parts, atOnce);
    printFigures(`${total / MiB} MiB, ${kind}`, [
      { name: 'rate', unit: 'MiB/s', samples: total / MiB / done },
      { name: 'rate until sent', unit: 'MiB/s', samples: total / MiB / sent },
      { name: 'memory at most', unit: 'MiB', samples: residentOf(ours.server.pid, 'VmHWM') },
    ]);
  }
}

if (!canMeasure('uploads', 'curl')) process.exit();
const hasNginx = canMeasure('nginx', ...nginxPrograms);
const hasTus = canMeasure('@tus/server', ...tusPrograms);
const hasOpenssl = canMeasure('openssl', 'openssl');
const isLarge = process.argv.includes('--large');
const [base = tmpdir(), total = isLarge ? '4096' : '1024', atOnce = '2', rounds = '5'] = process.argv
  .slice(2)
  .filter(argument => !argument.startsWith('--'));
if (isLarge) await upLarge(base, Number(total) * MiB, Number(atOnce));
else await compare(base, Number(total) * MiB, Number(atOnce), Number(rounds));
