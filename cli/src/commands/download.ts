import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { type File, fileHash, fileName } from '@recordproof/shared/api/files.ts';
import { openFileSink } from '@recordproof/shared/node/file-sink.ts';
import { HeldElsewhere } from '@recordproof/shared/node/held-file.ts';
import { downloadFile } from '@recordproof/shared/transfer/download.ts';
import { parseField } from '../account.ts';
import { command } from '../command.ts';
import { Fixable } from '../fixable.ts';
import { toTable } from '../output.ts';
import { openTransferKit, type TransferKit } from '../transfer/kit.ts';
import { type Failed, reportEach } from '../transfer/report.ts';
import { openSpoolFolder } from '../transfer/spool.ts';
import { toSize } from '../transfer/units.ts';

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

type Goal = { readonly target: string | undefined; readonly folder: string; readonly mayReplace: boolean };

/** The server names the file, so the name is looked at before it becomes a path. */
function safeName(file: File): string {
  const parsed = fileName.safeParse(file.fileName);
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

async function fetchOne(kit: TransferKit, hash: string, goal: Goal): Promise<DownloadReport> {
  const began = performance.now();
  let path = goal.target ?? '';
  try {
    const done = await downloadFile(
      {
        fileHash: hash,
        bandwidth: kit.bandwidth,
        signal: kit.signal,
        onProgress: file => kit.line.show(file.fileName),
        openSink: file => {
          path ||= join(goal.folder, safeName(file));
          return openSink(kit, { target: path, key: hash, mayReplace: goal.mayReplace });
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
async function fetchToStdout(kit: TransferKit, hash: string): Promise<DownloadReport> {
  const folder = kit.folders.spool;
  await openSpoolFolder(folder);
  const target = join(folder, `${crypto.randomUUID()}.proven`);
  try {
    const report = await fetchOne(kit, hash, { target, folder, mayReplace: false });
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

const isDone = (report: DownloadReport | Failed): report is DownloadReport => report.status !== 'failed';

export default command({
  summary: 'Download files and prove them on the way',
  description: [
    'Every chunk is checked against the manifest and the whole against its SHA-256. The file appears under its name',
    'only when all of it is right. A download that was interrupted goes on when the same command is run again.',
  ].join(' '),
  examples: [
    { command: 'download <fileHash>', description: 'Into this folder, under its own name' },
    { command: 'download <fileHash> --output backup/', description: 'Into another folder' },
    { command: 'download <fileHash> --output - | tar x', description: 'Into a pipe, once it is proven' },
  ],
  args: {
    files: argument({
      required: true,
      multiple: true,
      description: 'Hashes of the files, as `files list` shows them.',
    }),
  },
  flags: {
    output: string({ char: 'o', helpValue: '<path>', summary: 'File or folder to write to, or - for a pipe.' }),
    force: boolean({ summary: 'Replace a file that exists.' }),
    'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second, as 500K or 2M.' }),
  },
  async run({ flags, args, program }) {
    const hashes = (args.files as unknown as string[]).map(hash => parseField('File', fileHash, hash));
    const isPiped = flags.output === '-';
    if (isPiped && flags.json) throw new Fixable('usage', '--json and the file cannot both go to stdout');
    if (isPiped && hashes.length > 1) throw new Fixable('usage', 'only one file fits into a pipe');
    const goal = isPiped ? undefined : await toGoal(flags.output, hashes.length, flags.force);
    await using kit = await openTransferKit(program, flags['limit-rate']);
    return await reportEach(
      hashes,
      hash => hash,
      'recordproof download',
      hash => (goal ? fetchOne(kit, hash, goal) : fetchToStdout(kit, hash)),
    );
  },
  text: ({ files }) =>
    toTable(
      files
        .filter(isDone)
        .filter(({ name }) => name !== '-')
        .map(({ name, contentHash, bytes }) => [contentHash, toSize(bytes), name]),
    ),
  note({ files, failed }) {
    const done = files.filter(isDone);
    const bytes = done.reduce((sum, report) => sum + report.bytes, 0);
    const note = `${done.length} downloaded and proven (${toSize(bytes)})`;
    return failed > 0 ? `${note}, ${failed} failed` : note;
  },
  ending: ({ ending }) => ending,
});
