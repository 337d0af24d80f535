// Downloads files to where they are wanted: a path, a folder, a pipe.
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { boolean, string } from '@oclif/core/flags';
import { fileName } from '@recordproof/shared/api/files.ts';
import { openFileSink, refuseExisting } from '@recordproof/shared/node/file-sink.ts';
import { HeldElsewhere } from '@recordproof/shared/node/held-file.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import type { DownloadSource } from '@recordproof/shared/transfer/download-source.ts';
import { Fixable } from '../fixable.ts';
import { toTable } from '../output.ts';
import type { TransferKit } from './kit.ts';
import { type Failed, type Reports, reportEach } from './report.ts';
import { openSpoolFolder } from './spool.ts';
import { toSize } from './units.ts';

export const downloadFlags = {
  output: string({ char: 'o', helpValue: '<path>', summary: 'File or folder to write to, or - for a pipe.' }),
  force: boolean({ summary: 'Replace a file that exists.' }),
  'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second, as 500K or 2M.' }),
};

export type DownloadWish = {
  readonly output: string | undefined;
  readonly force: boolean;
  readonly json: boolean | undefined;
};

export type DownloadReport = {
  readonly name: string;
  readonly status: 'downloaded';
  readonly fileHash: string;
  readonly contentHash: string;
  readonly bytes: number;
  readonly resumedBytes: number;
  readonly verifiedChunks: number;
  readonly seconds: number;
};

/** What to fetch; `name` where the server's own is taken already. */
export type Wanted = { readonly fileHash: string; readonly source: DownloadSource; readonly name?: string };

type Goal = { readonly target: string | undefined; readonly folder: string; readonly mayReplace: boolean };

/** The server names the file, so the name is looked at before it becomes a path. */
function safeName(name: string): string {
  const parsed = fileName.safeParse(name);
  if (parsed.success && !parsed.data.startsWith('.')) return parsed.data;
  throw new Fixable('refused', 'the file has a name that is no good here', { try: 'name it with --output <path>' });
}

async function openSink(kit: TransferKit, goal: { target: string; key: string; mayReplace: boolean }) {
  try {
    return await openFileSink({ ...goal, lockFolder: kit.folders.downloads, pool: kit.pool });
  } catch (error) {
    if (!(error instanceof HeldElsewhere)) throw error;
    const why = `another run is downloading to ${goal.target}`;
    throw new Fixable('later', why, { try: 'wait for it, or end it', cause: error });
  }
}

async function fetchOne(kit: TransferKit, wanted: Wanted, goal: Goal): Promise<DownloadReport> {
  const began = performance.now();
  let path = goal.target ?? '';
  try {
    const done = await downloadFile(
      {
        source: wanted.source,
        bandwidth: kit.bandwidth,
        signal: kit.signal,
        onProgress: file => kit.line.show(file.fileName),
        openSink: file => {
          path ||= join(goal.folder, safeName(wanted.name ?? file.fileName));
          return openSink(kit, { target: path, key: wanted.fileHash, mayReplace: goal.mayReplace });
        },
      },
      kit,
    );
    const { file, resumedBytes, verifiedChunks } = done;
    const seconds = Math.round(performance.now() - began) / 1000;
    const bytes = file.fileSize;
    const proven = { fileHash: file.fileHash, contentHash: file.contentHash, verifiedChunks };
    return { name: path, status: 'downloaded', ...proven, bytes, resumedBytes, seconds };
  } finally {
    kit.line.clear();
  }
}

/** Nothing leaves through the pipe before all of it is proven. */
async function fetchToStdout(kit: TransferKit, wanted: Wanted): Promise<DownloadReport> {
  const folder = kit.folders.spool;
  await openSpoolFolder(folder);
  const target = join(folder, `${crypto.randomUUID()}.proven`);
  try {
    const report = await fetchOne(kit, wanted, { target, folder, mayReplace: false });
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
  if (count > 1) throw new Fixable('usage', `--output ${output} is one file, but ${count} are to be downloaded`);
  const folder = dirname(output);
  if (!(await isExistingFolder(folder)))
    throw new Fixable('usage', `there is no folder ${folder}`, {
      try: 'make it first, or name a folder with a / at its end',
    });
  return { target: output, folder: '.', mayReplace };
}

const isExistingFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** Two files of one name are kept apart, the same way in every run. */
export function nameEach<F extends { readonly fileName: string }>(files: readonly F[]): { file: F; name: string }[] {
  const taken = new Set<string>();
  return files.map(file => {
    const whole = file.fileName;
    const end = extname(whole);
    let name = whole;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1)
      name = `${whole.slice(0, whole.length - end.length)} (${number})${end}`;
    taken.add(name.toLowerCase());
    return { file, name };
  });
}

/** What can be said before the server is asked. */
export function refuseJsonPipe({ output, json }: DownloadWish): void {
  if (output === '-' && json) throw new Fixable('usage', '--json and the file cannot both go to stdout');
}

/** `tryThis`: how to ask for one file alone. */
export function refuseManyInPipe({ output }: DownloadWish, count: number, tryThis?: string): void {
  if (output !== '-' || count <= 1) return;
  throw new Fixable('usage', 'only one file fits into a pipe', tryThis === undefined ? {} : { try: tryThis });
}

/** Before the server is asked: where everything that is wanted is there already, all of it would be refused. */
export async function refuseAllTaken({ output, force }: DownloadWish, names: readonly string[]): Promise<void> {
  if (output === '-' || force) return;
  const { target, folder } = await toGoal(output, names.length, force);
  const looks = names.map(name => refuseExisting(target ?? join(folder, safeName(name))));
  const refused = (await Promise.allSettled(looks)).filter(look => look.status === 'rejected');
  if (refused.length === names.length) throw refused[0]?.reason;
}

export async function downloadFiles(
  kit: TransferKit,
  files: readonly Wanted[],
  wish: DownloadWish,
  commandLine: string,
): Promise<Reports<DownloadReport>> {
  const goal = wish.output === '-' ? undefined : await toGoal(wish.output, files.length, wish.force);
  return reportEach(
    files,
    ({ name, fileHash }) => name ?? fileHash,
    commandLine,
    wanted => (goal ? fetchOne(kit, wanted, goal) : fetchToStdout(kit, wanted)),
  );
}

const isDone = (report: DownloadReport | Failed): report is DownloadReport => report.status !== 'failed';

export const downloadedTable = ({ files }: Reports<DownloadReport>): string =>
  toTable(
    files
      .filter(isDone)
      .filter(({ name }) => name !== '-')
      .map(({ name, contentHash, bytes }) => [contentHash, toSize(bytes), name]),
  );

export function downloadedNote({ files, failed }: Reports<DownloadReport>): string {
  const done = files.filter(isDone);
  const bytes = done.reduce((sum, report) => sum + report.bytes, 0);
  const note = `${done.length} downloaded and proven (${toSize(bytes)})`;
  return failed > 0 ? `${note}, ${failed} failed` : note;
}
