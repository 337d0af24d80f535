// The command `upload`: files, folders (collect-files.ts) and standard input.
import type { Interfaces } from '@oclif/core';
import { boolean, integer, option, string } from '@oclif/core/flags';
import { contentType, fileName } from '@recordproof/shared/api/files.ts';
import { joinPath } from '@recordproof/shared/file-path.ts';
import { findFileId } from '../files/find-file.ts';
import { toFolder } from '../files/folder-argument.ts';
import { completedBy, many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { printable } from '../platform/output.ts';
import { type Failed, reportEach } from '../platform/report.ts';
import { spool } from '../platform/spool.ts';
import { openTransfers, type Transfers } from '../platform/transfers.ts';
import { toSize } from '../platform/units.ts';
import { type BulkUploads, openBulkUploads } from './bulk-uploads.ts';
import { type Collected, collectFiles, listEmpty, sumSizes, writeLeftOut } from './collect-files.ts';
import { type FinishedFiles, openFinished } from './finished-files.ts';
import { type UploadOptions, type UploadReport, uploadedLines, uploadOne } from './upload-one.ts';

type CommonOptions = Omit<UploadOptions, 'path'>;

const stdin = '-';

const resumeOf = (flag: boolean | undefined): 'allow' | 'require' | 'never' =>
  flag === undefined ? 'allow' : flag ? 'require' : 'never';

const conflicts = { version: 'newVersion', 'keep-both': 'keepBoth', skip: 'skip' } as const;

const flags = {
  direct: boolean({ summary: 'Straight to the object store, each file alone.', exclusive: ['proxied'] }),
  proxied: boolean({ summary: 'Through the server, which encrypts at rest.', exclusive: ['direct'] }),
  to: string({
    helpValue: '<folder>',
    exclusive: ['version-of'],
    summary: 'The folder to upload to; / is the top level.',
    ...completedBy('folders'),
  }),
  'version-of': string({ helpValue: '<file>', summary: 'The file whose next version this becomes.' }),
  name: string({ helpValue: '<name>', summary: 'Name at the server, for one file.' }),
  type: string({ helpValue: '<media type>', summary: 'Media type, for example application/pdf.' }),
  resume: boolean({ allowNo: true, summary: 'Only continue a started upload (--no-resume: never continue one).' }),
  'skip-existing': boolean({
    exclusive: ['version-of'],
    summary: 'Skip files that you have stored with the same SHA-256, files of a folder in the same one.',
  }),
  'on-conflict': option({
    options: Object.keys(conflicts) as (keyof typeof conflicts)[],
    exclusive: ['version-of'],
    summary: 'Where its folder has a file of this name: next version, a numbered name, or leave it out.',
  })(),
  jobs: integer({ helpValue: '<n>', min: 1, max: 16, default: 4, summary: 'Parts sent at the same time.' }),
  'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second for all parts together, as 500KB or 2MB.' }),
};

type Flags = Interfaces.InferredFlags<typeof flags>;

const toCommonOptions = (flags: Flags): Omit<CommonOptions, 'targetFileId'> => ({
  mode: flags.proxied ? 'proxied' : 'direct',
  resume: resumeOf(flags.resume),
  jobs: flags.jobs,
  skipExisting: flags['skip-existing'],
  ...(flags['on-conflict'] !== undefined && { onConflict: conflicts[flags['on-conflict']] }),
  ...(flags.name !== undefined && { fileName: parseField('--name', fileName, flags.name) }),
  ...(flags.type !== undefined && { contentType: parseField('--type', contentType, flags.type) }),
});

async function uploadStdin(transfers: Transfers, common: CommonOptions): Promise<UploadReport> {
  if (common.fileName === undefined)
    throw new CommandError('usage', 'standard input needs a name', { try: 'add --name <name>' });
  await using piped = await spool(process.stdin, transfers.folders.spool, transfers.signal);
  return { ...(await uploadOne(transfers, { ...common, path: piped.path }, common.fileName)), name: common.fileName };
}

/** With --name, that is the name at the server; a file that existed already may have another one. */
const toNamed = (report: UploadReport, { fileName: name }: CommonOptions): UploadReport =>
  name === undefined || report.status === 'exists' ? report : { ...report, name };

/** The files, each in its folder below this one. */
function below(into: string, { paths, folders, ...rest }: Collected): Collected {
  if (into === '') return { paths, folders, ...rest };
  return { ...rest, paths, folders: new Map(paths.map(path => [path, joinPath(into, folders.get(path) ?? '')])) };
}

function assertOne(flags: Flags, { paths }: Collected): void {
  if (paths.length < 2) return;
  const flag = flags.name !== undefined ? '--name' : flags['version-of'] !== undefined ? '--version-of' : undefined;
  if (flag) throw new CommandError('usage', `${flag} goes with one file, and these are ${paths.length}`);
}

/** A method, a version or an upload to resume applies to each named file. */
const mayGoTogether = (flags: Flags): boolean =>
  !flags.direct && flags.resume !== true && flags.name === undefined && flags['version-of'] === undefined;

async function openBulk(
  transfers: Transfers,
  flags: Flags,
  { paths, folders }: Collected,
  finished: FinishedFiles,
): Promise<BulkUploads | undefined> {
  if (paths[0] === stdin || !mayGoTogether(flags)) return undefined;
  const { skipExisting, contentType, onConflict } = toCommonOptions(flags);
  return openBulkUploads(transfers, paths, {
    skipExisting,
    folders,
    finished,
    ...(contentType !== undefined && { contentType }),
    ...(onConflict !== undefined && { onConflict }),
  });
}

/** The files that the same command stored before it was interrupted; none with --no-resume. */
async function findFinished(transfers: Transfers, files: readonly string[], common: CommonOptions) {
  const { mode, fileName: name, contentType: type, targetFileId: target, onConflict: conflict } = common;
  const finished = await openFinished(transfers, files, { mode, name, type, target, conflict });
  if (common.resume === 'never') await finished.forget();
  return finished;
}

const namesShown = 10;

const toNames = (names: readonly string[]): string =>
  [
    ...names.slice(0, namesShown).map(printable),
    ...(names.length > namesShown ? [`and ${names.length - namesShown} more`] : []),
  ].join(', ');

const isDone = (report: UploadReport | Failed): report is UploadReport => report.status !== 'failed';

export const upload = command({
  summary: 'Upload files, folders or standard input',
  description: [
    'Run the same command again to continue an interrupted upload. Many small files go to',
    'the server together, which encrypts them at rest; other files go straight to the object store, or with --proxied',
    'through the server too. Files of a folder keep where in it they lay; `download --folder` brings the tree back.',
  ].join(' '),
  examples: [
    { command: 'upload report.pdf', description: 'Upload a file' },
    { command: 'upload photos "logs/*.gz" --skip-existing', description: 'A folder and a pattern, only new files' },
    { command: 'upload report.pdf --to letters/2026', description: 'Into a folder, which is created if missing' },
    { command: 'upload report.pdf --version-of 42', description: 'As the next version of file 42' },
    { command: 'upload - --name dump.sql --proxied', description: 'Standard input, encrypted at rest' },
  ],
  args: {
    files: many({ required: true, description: 'Files, folders, patterns, or - for a pipe.' }),
  },
  flags,
  async run({ flags, args, context }) {
    const plain = toCommonOptions(flags);
    const inputs = args.files;
    if (inputs.includes(stdin) && inputs.length > 1) throw new CommandError('usage', '- cannot be combined with files');
    const isPiped = inputs[0] === stdin;
    const into = toFolder(flags.to ?? '');
    const collected = isPiped
      ? { paths: [stdin], leftOut: [], folders: new Map() }
      : below(into, await collectFiles(inputs));
    assertOne(flags, collected);
    await using transfers = await openTransfers(context, flags['limit-rate']);
    writeLeftOut(collected.leftOut);
    const target = flags['version-of'];
    const targetFileId = target === undefined ? undefined : await findFileId(transfers.server.client, target);
    const common = {
      ...plain,
      ...(targetFileId !== undefined && { targetFileId }),
      ...(into !== '' && { folder: into }),
    };
    transfers.line.plan(collected.paths.length, isPiped ? undefined : await sumSizes(collected.paths));
    const finished = await findFinished(transfers, inputs, common);
    const bulk = await openBulk(transfers, flags, collected, finished);
    // Without the await the transfers would be closed before the first file is sent.
    const reports = await reportEach(
      collected.paths,
      path => path,
      'recordproof upload',
      async path => {
        if (isPiped) return uploadStdin(transfers, common);
        const folder = collected.folders.get(path);
        const options = { ...common, path, finished, ...(folder !== undefined && { folder }) };
        return (await bulk?.upload(path)) ?? toNamed(await uploadOne(transfers, options, path), common);
      },
      { show: done => transfers.print(uploadedLines([done])) },
    );
    const failed = reports.files.filter(({ status }) => status === 'failed');
    const empty = await listEmpty(failed.map(({ name }) => name));
    if (failed.length === empty.length) await finished.forget();
    return { ...reports, empty };
  },
  note({ files, failed, empty }) {
    const done = files.filter(isDone);
    const sent = done.filter(({ status }) => status === 'uploaded');
    const bytes = sent.reduce((sum, report) => sum + report.bytes, 0);
    const exist = done.filter(({ status }) => status === 'exists').length;
    const skipped = done.length - sent.length - exist;
    return [
      `${sent.length} uploaded (${toSize(bytes)})`,
      ...(exist > 0 ? [`${exist} were there already`] : []),
      ...(skipped > 0 ? [`${skipped} skipped: their names are taken`] : []),
      ...(failed > empty.length ? [`${failed - empty.length} failed`] : []),
      ...(empty.length > 0 ? [`${empty.length} empty, which proves nothing: ${toNames(empty)}`] : []),
    ].join(', ');
  },
  ending: ({ ending }) => ending,
});
