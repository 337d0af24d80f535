// Downloads of files to a path, a folder or a pipe.
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Interfaces } from '@oclif/core';
import { boolean, string } from '@oclif/core/flags';
import { FileLocked } from '@recordproof/shared/node/file-lock.ts';
import { openFileSink, rejectExisting } from '@recordproof/shared/node/file-sink.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import type { DownloadSource } from '@recordproof/shared/transfer/download-source.ts';
import { CommandError } from '../platform/command-error.ts';
import { toDone } from '../platform/progress-line.ts';
import { type Failed, type Reports, reportEach } from '../platform/report.ts';
import { openSpoolFolder } from '../platform/spool.ts';
import { hash, linesOf, name } from '../platform/table.ts';
import type { Transfers } from '../platform/transfers.ts';
import { toSize } from '../platform/units.ts';
import { BulkDownloads, fitsIntoSet, type SmallDownload } from './bulk-downloads.ts';
import { toLocalName, writeOtherName } from './local-names.ts';

export const downloadFlags = {
  output: string({ char: 'o', helpValue: '<path>', summary: 'File or folder to write to, or - for a pipe.' }),
  force: boolean({ summary: 'Replace a file that exists.' }),
  'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second, as 500KB or 2MB.' }),
};

type DownloadOptions = Interfaces.InferredFlags<typeof downloadFlags>;

type DownloadReport = {
  readonly name: string;
  readonly status: 'downloaded';
  readonly fileHash: string;
  readonly contentHash: string;
  readonly bytes: number;
  readonly resumedBytes: number;
  readonly verifiedChunks: number;
  readonly seconds: number;
};

/** The files to fetch; `name` is the local one, where that is known. */
type RequestedFile = {
  readonly fileHash: string;
  readonly source: DownloadSource;
  readonly name?: string;
  /** The subfolder of the target folder. */
  readonly below?: string;
  readonly fileSize?: number;
  readonly givenName?: string;
  /** Where it is known before, the file may be part of a bulk download. */
  readonly contentHash?: string;
};

type Goal = { readonly target: string | undefined; readonly folder: string; readonly mayReplace: boolean };

/** The server names the file, so the name is checked before it becomes a path. */
function toPath(folder: string, serverName: string, name = toLocalName(serverName)): string {
  const path = join(folder, name);
  if (toLocalName(serverName) !== serverName) writeOtherName(serverName, path);
  return path;
}

async function openSink(transfers: Transfers, goal: { target: string; key: string; mayReplace: boolean }) {
  try {
    return await openFileSink({ ...goal, lockFolder: transfers.folders.downloads, pool: transfers.pool });
  } catch (error) {
    if (!(error instanceof FileLocked)) throw error;
    const why = `another run is downloading to ${goal.target}`;
    throw new CommandError('later', why, { try: 'wait for it, or end it', cause: error });
  }
}

async function fetchOne(transfers: Transfers, requested: RequestedFile, goal: Goal): Promise<DownloadReport> {
  const began = performance.now();
  let path = goal.target ?? '';
  try {
    const done = await downloadFile(
      {
        source: requested.source,
        bandwidth: transfers.bandwidth,
        signal: transfers.signal,
        onWait: transfers.onWait,
        onProgress: file => transfers.line.begin(file.fileName),
        openSink: async file => {
          const folder = join(goal.folder, requested.below ?? '');
          if (requested.below) await mkdir(folder, { recursive: true });
          path ||= toPath(folder, file.fileName, requested.name);
          return openSink(transfers, { target: path, key: requested.fileHash, mayReplace: goal.mayReplace });
        },
      },
      transfers,
    );
    const { file, resumedBytes, verifiedChunks } = done;
    const seconds = Math.round(performance.now() - began) / 1000;
    const bytes = file.fileSize;
    const proven = { fileHash: file.fileHash, contentHash: file.contentHash, verifiedChunks };
    return { name: path, status: 'downloaded', ...proven, bytes, resumedBytes, seconds };
  } finally {
    transfers.line.end();
  }
}

/** No byte is written to the pipe before the whole content is verified. */
async function fetchToStdout(transfers: Transfers, requested: RequestedFile): Promise<DownloadReport> {
  const folder = transfers.folders.spool;
  await openSpoolFolder(folder);
  const target = join(folder, `${crypto.randomUUID()}.proven`);
  try {
    const report = await fetchOne(transfers, requested, { target, folder, mayReplace: false });
    await pipeline(createReadStream(target, { highWaterMark: 1024 * 1024 }), process.stdout, { end: false });
    return { ...report, name: '-' };
  } finally {
    await rm(target, { force: true });
  }
}

async function toGoal(output: string | undefined, count: number, mayReplace: boolean): Promise<Goal> {
  const isFolder = output !== undefined && (output.endsWith('/') || (await isExistingFolder(output)));
  if (output === undefined || isFolder) {
    const folder = output ?? '.';
    await mkdir(folder, { recursive: true });
    return { target: undefined, folder, mayReplace };
  }
  if (count > 1) throw new CommandError('usage', `--output ${output} is one file, but ${count} are to be downloaded`);
  const folder = dirname(output);
  if (!(await isExistingFolder(folder)))
    throw new CommandError('usage', `there is no folder ${folder}`, {
      try: 'make it first, or name a folder with a / at its end',
    });
  return { target: output, folder: '.', mayReplace };
}

const isExistingFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** Errors that are known before the server is asked. */
export function rejectJsonPipe({ output, json }: DownloadOptions): void {
  if (output === '-' && json) throw new CommandError('usage', '--json and the file cannot both go to stdout');
}

/** `tryThis`: how to name one file alone. */
export function rejectManyInPipe({ output }: DownloadOptions, count: number, tryThis?: string): void {
  if (output !== '-' || count <= 1) return;
  throw new CommandError(
    'usage',
    `--output - writes one file to standard output, and ${count} are named`,
    tryThis === undefined ? {} : { try: tryThis },
  );
}

/** Before the server is asked: where all target files exist already, all downloads would be rejected. */
export async function rejectExistingTargets(
  { output, force }: DownloadOptions,
  names: readonly string[],
): Promise<void> {
  if (output === '-' || force) return;
  const { target, folder } = await toGoal(output, names.length, force);
  const checks = names.map(name => rejectExisting(target ?? join(folder, name)));
  const rejected = (await Promise.allSettled(checks)).filter(check => check.status === 'rejected');
  if (rejected.length === names.length) throw rejected[0]?.reason;
}

/** Undefined where a size is not known before. */
const sumKnown = (files: readonly RequestedFile[]): number | undefined =>
  files.reduce<number | undefined>(
    (sum, { fileSize }) => (sum === undefined || fileSize === undefined ? undefined : sum + fileSize),
    0,
  );

/** Small files with known size and hash are fetched in bulk, all others alone. */
function fetcher(transfers: Transfers, files: readonly RequestedFile[], goal: Goal) {
  const toSmall = ({ fileHash, contentHash, fileSize: size, below, name }: RequestedFile): SmallDownload[] =>
    contentHash !== undefined && name !== undefined && goal.target === undefined && fitsIntoSet(size)
      ? [{ fileHash, contentHash, size, path: join(goal.folder, below ?? '', name) }]
      : [];
  const small = files.flatMap(toSmall);
  const bulk = new BulkDownloads(transfers, small.length > 1 ? small : [], goal.mayReplace);
  return async (requested: RequestedFile): Promise<DownloadReport> => {
    const [one] = toSmall(requested);
    const began = performance.now();
    const tell = transfers.line.begin(requested.name ?? requested.fileHash);
    const hasCome = one !== undefined && (await bulk.download(one.path).finally(() => tell(toDone(one.size))));
    if (!hasCome) return fetchOne(transfers, requested, goal);
    transfers.line.end();
    const { givenName } = requested;
    if (givenName !== undefined && toLocalName(givenName) !== givenName) writeOtherName(givenName, one.path);
    const { fileHash, contentHash, size: bytes, path: name } = one;
    const seconds = Math.round(performance.now() - began) / 1000;
    return { name, status: 'downloaded', fileHash, contentHash, bytes, resumedBytes: 0, verifiedChunks: 1, seconds };
  };
}

export async function downloadFiles(
  transfers: Transfers,
  files: readonly RequestedFile[],
  options: DownloadOptions,
  commandLine: string,
): Promise<Reports<DownloadReport>> {
  const goal = options.output === '-' ? undefined : await toGoal(options.output, files.length, options.force);
  transfers.line.plan(files.length, sumKnown(files));
  const fetch = goal
    ? fetcher(transfers, files, goal)
    : (requested: RequestedFile) => fetchToStdout(transfers, requested);
  return reportEach(files, ({ name, fileHash }) => name ?? fileHash, commandLine, fetch, {
    show: done => done.name === '-' || transfers.print(downloadedLines([done])),
  });
}

const isDone = (report: DownloadReport | Failed): report is DownloadReport => report.status !== 'failed';

const downloadedLines = linesOf<DownloadReport>({
  'SHA-256': hash(file => file.contentHash.replace('sha256:', '')),
  SIZE: file => toSize(file.bytes).padStart(8),
  NAME: name(file => file.name),
});

export function downloadedNote({ files, failed }: Reports<DownloadReport>): string {
  const done = files.filter(isDone);
  const bytes = done.reduce((sum, report) => sum + report.bytes, 0);
  const note = `${done.length} downloaded and proven (${toSize(bytes)})`;
  return failed > 0 ? `${note}, ${failed} failed` : note;
}
