// Commands under `files`.
import { string as argument } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import {
  deleteFile,
  fileQuota,
  fileStats,
  fileStatus,
  getFile,
  keywordModes,
  listFiles,
  listVersions,
  proofStatuses,
  searchFiles,
} from '@recordproof/shared/api/files.ts';
import { restoreVersion as restoreVersionEndpoint } from '@recordproof/shared/api/uploads.ts';
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { completedBy } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { printable, toMinute, writeMessage } from '../platform/output.ts';
import { changeEach, outcomeOf } from '../platform/report.ts';
import { alignRows, name, shortHash, tableOf } from '../platform/table.ts';
import { toTime } from '../platform/time-flags.ts';
import { toSize } from '../platform/units.ts';
import { filePages, fileRows, filesTable } from './file-table.ts';
import { fileArgument, filesArgument, findFile, findFileHashes, findFileId } from './find-file.ts';
import { toFolder } from './folder-argument.ts';

export const list = command({
  summary: 'List your files, newest versions only',
  examples: [
    { command: 'files list', description: 'The newest twenty' },
    { command: 'files list --sort fileSize,desc --size 100', description: 'The largest hundred' },
  ],
  flags: filePages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listFiles, { query: filePages.toQuery(flags) }),
  text: filesTable,
  note: filePages.note,
});

const statusNames = Object.keys(fileStatus) as (keyof typeof fileStatus)[];

function toFolderQuery({ folder, 'in-folder': isExact }: { folder?: string | undefined; 'in-folder': boolean }) {
  if (folder === undefined) return {};
  const path = toFolder(folder);
  if (isExact) return { folder: path };
  return path === '' ? {} : { path };
}

function toBytes(flag: string, text: string): number {
  const bytes = parseSize(text);
  if (bytes === undefined) throw new CommandError('usage', `${flag} must be a size such as 5MiB, not "${text}"`);
  return bytes;
}

export const search = command({
  summary: 'Search your files by name, hash, folder, type, size, time, proof and share',
  examples: [
    { command: 'files search invoice', description: 'Files with "invoice" in their name' },
    { command: 'files search --type image --min-size 5MiB', description: 'Large pictures' },
    { command: 'files search --since 2026-01-01 --until 2026-01-31', description: 'Files of one month' },
  ],
  args: { keyword: argument({ description: 'Part of a name, or 64 hex digits of a fileHash or contentHash.' }) },
  flags: {
    ...filePages.flags,
    mode: option({ options: keywordModes, summary: 'How the keyword is compared.' })(),
    status: option({ options: statusNames, summary: 'Only files in this state.' })(),
    folder: string({ helpValue: '<folder>', summary: 'Only in this folder and below it.', ...completedBy('folders') }),
    'in-folder': boolean({ summary: 'With --folder: not in the folders below it.', dependsOn: ['folder'] }),
    type: string({ helpValue: '<type>', summary: 'Only of this media type, or its first part: image.' }),
    'min-size': string({ helpValue: '<size>', summary: 'At least this large: 5MiB.' }),
    'max-size': string({ helpValue: '<size>', summary: 'At most this large.' }),
    proof: option({ options: proofStatuses, summary: 'Only with this state of the proof.' })(),
    shared: boolean({ allowNo: true, summary: 'Only files that others can reach by a share, or none of them.' }),
    since: string({ helpValue: '<day or time>', summary: 'Created then or later.' }),
    until: string({ helpValue: '<day or time>', summary: 'Created then or earlier.' }),
  },
  async run({ flags, args, context }) {
    const query = {
      ...filePages.toQuery(flags),
      ...(args.keyword !== undefined && { keyword: args.keyword }),
      ...(flags.mode && { keywordMode: flags.mode }),
      ...(flags.status && { status: fileStatus[flags.status] }),
      ...toFolderQuery(flags),
      ...(flags.type !== undefined && { type: flags.type }),
      ...(flags['min-size'] !== undefined && { minSize: toBytes('--min-size', flags['min-size']) }),
      ...(flags['max-size'] !== undefined && { maxSize: toBytes('--max-size', flags['max-size']) }),
      ...(flags.proof && { proofStatus: flags.proof }),
      ...(flags.shared !== undefined && { shared: flags.shared }),
      ...(flags.since !== undefined && { startTime: toTime('--since', flags.since) }),
      ...(flags.until !== undefined && { endTime: toTime('--until', flags.until, 'end') }),
    };
    return (await context.session()).call(searchFiles, { query });
  },
  text: filesTable,
  note: filePages.note,
});

export const info = command({
  summary: 'Show all about one file',
  examples: [{ command: 'files info report.pdf', description: 'Record, SHA-256, version, proof, owner' }],
  args: fileArgument,
  run: async ({ args, context }) => findFile(await context.session(), args.file),
  text: file => alignRows(fileRows(file)),
});

export const versions = command({
  summary: 'List all versions of a file, newest first',
  examples: [{ command: 'files versions report.pdf', description: 'Earlier versions of this file' }],
  args: fileArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(listVersions, { params: { id: await findFileId(client, args.file) } });
  },
  text: tableOf<AnswerOf<typeof listVersions>[number]>({
    '': version => (version.isLatest ? '*' : ' '),
    VERSION: ({ version }) => `v${version}`,
    ID: version => version.id,
    CREATED: version => toMinute(version.createdAt),
    BY: version => version.ownerName,
    SIZE: version => toSize(version.fileSize),
    PROOF: version => version.proofStatus,
    NAME: name(version => version.fileName),
  }),
});

export const restoreVersion = command({
  summary: 'Restore an older version as the newest',
  description: 'Its content becomes the next version, with a record and a proof of its own. All older versions stay.',
  examples: [{ command: 'files restore-version report.pdf 2', description: 'Version 2 becomes the newest' }],
  args: {
    ...fileArgument,
    version: argument({ required: true, description: 'Its number, as `files versions` shows it.' }),
  },
  async run({ args, context }) {
    const client = await context.session();
    const chain = await client.call(listVersions, { params: { id: await findFileId(client, args.file) } });
    const older = chain.find(({ version }) => `v${version}` === `v${args.version.replace(/^v/, '')}`);
    if (older === undefined)
      throw new CommandError('refused', `there is no version ${printable(args.version)} of this file`, {
        try: `recordproof files versions ${printable(args.file)}`,
      });
    return { from: older.version, ...(await client.call(restoreVersionEndpoint, { params: { id: older.id } })) };
  },
  text: ({ fileId }) => fileId,
  note: ({ from, version }) => `version ${from} restored as version ${version}`,
});

export const stats = command({
  summary: 'How many files you have, how large they are',
  examples: [{ command: 'files stats', description: 'Files, bytes, shared, uploaded today' }],
  run: async ({ context }) => (await context.session()).call(fileStats),
  text: stats =>
    alignRows([
      ['files', String(stats.totalFiles)],
      ['storage', toSize(stats.totalStorage)],
      ['shared', String(stats.sharedFiles)],
      ['uploaded today', String(stats.todayUploads)],
    ]),
});

type QuotaUsage = AnswerOf<typeof fileQuota>['user'];

const row = (who: string, { usedBytes, maxBytes, usedFiles, maxFiles, trashBytes }: QuotaUsage): string[] => [
  who,
  `${toSize(usedBytes)} of ${toSize(maxBytes)}`,
  `${usedFiles} of ${maxFiles} files`,
  `${toSize(trashBytes)} of it in the trash`,
];

export const quota = command({
  summary: 'How much of the storage quota is used',
  examples: [{ command: 'files quota', description: 'Yours and that of all together' }],
  run: async ({ context }) => (await context.session()).call(fileQuota),
  text: ({ user, tenant }) => alignRows([row('you', user), row('all together', tenant)]),
  note: ({ mode }) => (mode === 'SHADOW' ? 'The quota is only watched, not enforced.' : ''),
});

async function showAndConfirm(context: CommandContext, hashes: readonly string[]): Promise<void> {
  const client = await context.session();
  for (const hash of hashes) {
    const file = await client.call(getFile, { params: { hash } });
    writeMessage(`${printable(file.fileName)}  v${file.version}  ${toSize(file.fileSize)}  ${shortHash(hash)}`);
  }
  const question = hashes.length === 1 ? 'Delete this file?' : `Delete these ${hashes.length} files?`;
  await confirm(context, question, 'nothing was deleted');
}

export const rm = command({
  summary: 'Delete files',
  description:
    'They move to the trash (`files trash`). The newest living version before a deleted one becomes the latest. Proofs that exist stay valid.',
  examples: [
    { command: 'files rm report.pdf', description: 'Shows the file and asks' },
    { command: 'files rm report.pdf --yes', description: 'For scripts: does not ask' },
  ],
  args: filesArgument,
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const hashes = await findFileHashes(client, args.files);
    if (!flags.yes) await showAndConfirm(context, hashes);
    const change = (hash: string) => client.call(deleteFile, { params: { hash } });
    return changeEach(hashes, hash => hash, 'recordproof files rm', { done: 'deleted', change });
  },
  ...outcomeOf('deleted'),
});
