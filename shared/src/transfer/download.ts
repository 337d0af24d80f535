// Verified downloads into a sink that reveals the file only once it is proven: every chunk against the manifest, then
// the whole against the contentHash. Bytes of an earlier run are verified in the same way, and kept if they match.
import { type Bandwidth, paced, unlimited } from './bandwidth.ts';
import { type CheckedRange, type DownloadPlan, findDownloadPlan } from './download-plan.ts';
import type { DownloadableFile, DownloadSource, RetryingCall } from './download-source.ts';
import { type Clock, type Http, HttpBroken, type Server, type Sink, type SinkDigest, systemClock } from './ports.ts';
import { type OnProgress, openProgress, type ProgressMeter } from './progress.ts';
import { defaultRetryPolicy, isPassing, type RetryOptions, type RetryPolicy, withRetries } from './retry.ts';
import { TransferError } from './transfer-error.ts';
import { callWithRetry, signalOf, toServerError } from './upload-attempt.ts';
import type { OnWait } from './wait.ts';

export type DownloadRequest = {
  readonly source: DownloadSource;
  /** Called once the file's metadata is known. The engine disposes of it. */
  readonly openSink: (file: DownloadableFile) => Promise<Sink>;
  readonly bandwidth?: Bandwidth;
  /** Ends the run and keeps its progress; rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (file: DownloadableFile) => OnProgress;
  readonly onWait?: OnWait;
};

type DownloadPorts = {
  readonly server: Server;
  readonly http: Http;
  readonly clock?: Clock;
  readonly retryPolicy?: RetryPolicy;
};

type Downloaded = {
  readonly file: DownloadableFile;
  /** Verified bytes of an earlier run that were not fetched again. */
  readonly resumedBytes: number;
  readonly verifiedChunks: number;
  readonly hasManifest: boolean;
};

type Run = {
  readonly source: DownloadSource;
  readonly plan: DownloadPlan;
  readonly sink: Sink;
  readonly whole: SinkDigest | undefined;
  readonly ports: DownloadPorts;
  readonly bandwidth: Bandwidth;
  readonly meter: ProgressMeter;
  readonly retry: RetryOptions;
  readonly signal: AbortSignal;
  /** Ranges before this one are verified. */
  verified: number;
  /** The next byte to fetch. */
  position: number;
  /** How often a range has arrived with wrong bytes. */
  readonly spoiled: Map<number, number>;
};

const maxSpoiled = 2;
/** Verification may lag this many ranges behind receiving. */
const maxLag = 2;

class RangeSpoiled extends Error {}

const rangeAt = (run: Run, index: number): CheckedRange => {
  const range = run.plan.ranges[index];
  if (!range) throw new Error(`there is no range ${index}`);
  return range;
};
const startOf = (run: Run, index: number): number => run.plan.ranges[index]?.start ?? run.plan.file.fileSize;

async function isRight(run: Run, index: number): Promise<boolean> {
  const { start, end, hash } = rangeAt(run, index);
  if ((await run.sink.digest(start, end, run.signal)) !== hash) return false;
  await run.whole?.extend(end);
  run.meter.hashed(end - start);
  run.verified = index + 1;
  return true;
}

async function keepLeftover(run: Run): Promise<number> {
  run.meter.enter('verifying');
  while (run.verified < run.plan.ranges.length && rangeAt(run, run.verified).end <= run.sink.leftover) {
    if (!(await isRight(run, run.verified))) break;
  }
  const kept = startOf(run, run.verified);
  await run.sink.truncate(kept);
  run.position = kept;
  run.meter.skipped(kept);
  return kept;
}

async function request(run: Run): Promise<AsyncIterable<Uint8Array>> {
  const { server, http } = run.ports;
  const { file } = run.plan;
  const url = server.baseUrl.replace(/\/+$/, '') + run.source.path;
  const token = await server.token();
  const headers = {
    ...run.source.headers,
    accept: 'application/octet-stream, */*;q=0.5',
    ...(run.position > 0 && { range: `bytes=${run.position}-`, 'if-range': `"${file.contentHash}"` }),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const answer = await http.get({ url, headers, signal: run.signal });
  if (answer.status === 206 && run.position > 0) {
    const range = answer.headers.get('content-range') ?? '';
    if (range.startsWith(`bytes ${run.position}-`)) return answer.blocks;
    throw new TransferError('wrong-answer', `the server answered with another range than requested: ${range}`);
  }
  if (answer.status === 200) return skipFirst(answer.blocks, run.position);
  throw await toServerError(answer);
}

/** For a server without Range support: existing bytes are received again and dropped. */
async function* skipFirst(blocks: AsyncIterable<Uint8Array>, count: number): AsyncIterable<Uint8Array> {
  let left = count;
  for await (const block of blocks) {
    const bytes = block.length;
    if (left < bytes) yield block.subarray(left);
    left = Math.max(0, left - bytes);
  }
}

/** Receives from `position` on; verifies each range while the next ones arrive. */
async function receive(run: Run): Promise<void> {
  const { sink, plan, meter } = run;
  const checks: Promise<void>[] = [];
  let received = plan.ranges.findIndex(range => range.end > run.position);
  const blocks = paced(await request(run), run.bandwidth, run.signal, bytes => meter.moved(bytes));
  meter.enter('receiving');
  try {
    for await (const block of blocks) {
      const end = run.position + block.length;
      if (end > plan.file.fileSize)
        throw new TransferError(
          'wrong-bytes',
          `the server sends more than the ${plan.file.fileSize} bytes of the record`,
        );
      await sink.write(block);
      run.position = end;
      while (received < plan.ranges.length && rangeAt(run, received).end <= run.position) {
        await sink.flush();
        checks.push(check(run, received, checks.at(-1)));
        received += 1;
        await checks.at(-1 - maxLag);
      }
    }
  } finally {
    // The sink must not be truncated while a verification still reads.
    await Promise.allSettled(checks);
  }
  await Promise.all(checks);
  if (run.position < plan.file.fileSize)
    throw new HttpBroken(`the download ended after ${run.position} of ${plan.file.fileSize} bytes`);
}

function check(run: Run, index: number, before: Promise<void> | undefined): Promise<void> {
  const checked = (async () => {
    await before;
    if (!(await isRight(run, index))) throw new RangeSpoiled();
  })();
  checked.catch(() => undefined);
  return checked;
}

async function startOver(run: Run): Promise<void> {
  const times = (run.spoiled.get(run.verified) ?? 0) + 1;
  run.spoiled.set(run.verified, times);
  const { start, end } = rangeAt(run, run.verified);
  run.meter.skipped(start - run.position);
  run.position = start;
  await run.sink.truncate(start);
  run.meter.retried();
  if (times > maxSpoiled)
    throw new TransferError(
      'wrong-bytes',
      `bytes ${start} to ${end} do not have the hash of chunk ${run.verified} in the manifest, ${times} times in a row`,
    );
}

/** One request, after which there is either progress or one more failure. */
async function goOn(run: Run): Promise<void> {
  const before = run.position;
  try {
    await receive(run);
  } catch (error) {
    if (error instanceof RangeSpoiled) return startOver(run);
    if (run.signal.aborted || !isPassing(error) || run.position === before) throw error;
    run.meter.retried();
  }
}

async function fetchAll(run: Run): Promise<void> {
  const { ranges, file } = run.plan;
  while (run.verified < ranges.length) {
    if (run.position === file.fileSize) await startOver(run);
    await withRetries(run.retry, 'the download', () => goOn(run));
  }
}

async function prove(run: Run): Promise<void> {
  const { contentHash, fileSize } = run.plan.file;
  const computed = await run.whole?.finish();
  if (run.sink.size !== fileSize) throw new Error(`${run.sink.size} bytes were written of a file of ${fileSize}`);
  if (computed === undefined || computed === contentHash) return;
  await run.sink.discard();
  throw new TransferError('wrong-bytes', `the file's SHA-256 is ${computed}, but its record says ${contentHash}`);
}

export async function downloadFile(options: DownloadRequest, ports: DownloadPorts): Promise<Downloaded> {
  const { clock = systemClock, retryPolicy: policy = defaultRetryPolicy } = ports;
  const signal = signalOf({ signal: options.signal });
  const retry = { clock, policy, signal, onWait: options.onWait };
  const { source } = options;
  const call: RetryingCall = (endpoint, input) =>
    callWithRetry({ server: ports.server, retry }, signal, endpoint, input);
  const file = await source.findFile(call);
  const plan = await findDownloadPlan(file, () => source.findMetadata(call));
  const meter = openProgress(file.fileSize, clock, options.onProgress?.(file));
  await using sink = await options.openSink(file);
  const isWholeOneRange = plan.ranges.length === 1 && plan.ranges[0]?.hash === file.contentHash;
  const run: Run = {
    source,
    plan,
    sink,
    whole: isWholeOneRange ? undefined : sink.openDigest(),
    ports,
    bandwidth: options.bandwidth ?? unlimited,
    meter,
    retry: { ...retry, onRetry: () => meter.retried() },
    signal,
    verified: 0,
    position: 0,
    spoiled: new Map(),
  };
  try {
    const resumedBytes = await keepLeftover(run);
    await fetchAll(run);
    meter.enter('finishing');
    await prove(run);
    await sink.commit();
    meter.enter('done');
    return { file, resumedBytes, verifiedChunks: plan.ranges.length, hasManifest: plan.hasManifest };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
}
