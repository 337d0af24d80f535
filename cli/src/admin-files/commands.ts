// Commands under `admin files`.

import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import {
  type AdministeredFile,
  changeFileStatus,
  type FileDetails,
  getAnyFile,
  listAllFiles,
} from '@recordproof/shared/api/admin-files.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { fileStatus, keywordModes } from '@recordproof/shared/api/files.ts';
import { many } from '../platform/arguments.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, reasonFlag, toReason, yesFlag } from '../platform/confirm.ts';
import { printable, toMinute, writeMessage } from '../platform/output.ts';
import { changeEach, outcomeOf } from '../platform/report.ts';
import { shortHash } from '../platform/table.ts';
import { toTime } from '../platform/time-flags.ts';
import { describeFile, detailsText, filePages, filesTable, stateNote } from './tables.ts';

const how = 'id, record id (its first 8 digits will do) or name';

const anyFileArgument = { file: argument({ required: true, description: `The file: ${how}.` }) };
const anyFilesArgument = { files: many({ required: true, description: `The files: ${how}.` }) };

const mostNamed = 5;

const toCandidate = ({ id, fileHash, version, createdAt, fileName, ownerName }: AdministeredFile): string =>
  `${id} (${shortHash(fileHash)}, v${version} of ${toMinute(createdAt)}, ${fileName}, ${ownerName})`;

/** Deleted files may share a name with stored ones; stored ones come first. */
async function listCandidates(client: Client, text: string): Promise<AdministeredFile[]> {
  for (const status of [fileStatus.SUCCESS, fileStatus.DELETE, fileStatus.FAIL, fileStatus.PREPARE]) {
    const query = { keyword: text, keywordMode: 'REFERENCE' as const, status, size: 100 };
    const { records } = await client.call(listAllFiles, { query });
    if (records.length > 0) return records;
  }
  return [];
}

async function findAnyFile(client: Client, text: string): Promise<FileDetails> {
  const open = (hash: string) => client.call(getAnyFile, { params: { hash } });
  if (/^[0-9a-f]{64}$/.test(text)) return open(text);
  const found = text.trim() === '' ? [] : await listCandidates(client, text);
  const [only, ...others] = found;
  if (only === undefined)
    throw new CommandError('refused', `there is no file "${printable(text)}" in the tenant`, {
      try: 'recordproof admin files list --keyword <part of the name>',
    });
  // An id belongs to one file, whatever the names of others.
  const byId = found.find(file => file.id === text);
  if (byId !== undefined || others.length === 0) return open((byId ?? only).fileHash);
  const named = found.slice(0, mostNamed).map(toCandidate);
  throw new CommandError('usage', `"${printable(text)}" could be any of ${found.length} files`, {
    try: `say which by its id: ${named.join(', ')}${found.length > mostNamed ? ' and more' : ''}`,
  });
}

export const list = command({
  summary: 'List the files of everyone, the newest first',
  examples: [
    { command: 'admin files list --owner alice', description: 'Newest versions of the files of alice' },
    { command: 'admin files list --status delete', description: 'Deleted files' },
  ],
  flags: {
    ...filePages.flags,
    owner: string({ helpValue: '<name>', summary: 'Only files of this user, by name or external id.' }),
    keyword: string({ helpValue: '<text>', summary: 'Part of a name, or a whole fileHash or contentHash.' }),
    mode: option({ options: keywordModes, summary: 'How the keyword is compared.' })(),
    status: option({ options: namesOf(fileStatus), summary: 'Only files in this state.' })(),
    since: string({ helpValue: '<day or time>', summary: 'Created then or later.' }),
    until: string({ helpValue: '<day or time>', summary: 'Created then or earlier.' }),
  },
  async run({ flags, context }) {
    const query = {
      ...filePages.toQuery(flags),
      ...(flags.owner !== undefined && { owner: flags.owner }),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
      ...(flags.mode && { keywordMode: flags.mode }),
      ...(flags.status && { status: codeOf(fileStatus, flags.status) }),
      ...(flags.since !== undefined && { startTime: toTime('--since', flags.since) }),
      ...(flags.until !== undefined && { endTime: toTime('--until', flags.until, 'end') }),
    };
    return (await context.session()).call(listAllFiles, { query });
  },
  text: filesTable,
  note: filePages.note,
});

export const show = command({
  summary: 'Show all about a file, where it came from, and who saved it',
  examples: [{ command: 'admin files show report.pdf', description: 'Whosever it is, deleted ones too' }],
  args: anyFileArgument,
  run: async ({ args, context }) => findAnyFile(await context.session(), args.file),
  text: detailsText,
});

export const remove = command({
  summary: 'Delete files of any user',
  description: 'Their shares end. Until the retention time is over they can be restored; their proofs stay valid.',
  examples: [
    {
      command: 'admin files delete 42 --reason "a court order"',
      description: 'Shows the file and its owner, and asks',
    },
    { command: 'admin files delete 42 43 --yes', description: 'For scripts: does not ask' },
  ],
  args: anyFilesArgument,
  flags: { reason: reasonFlag, yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const files = [];
    for (const text of args.files) files.push(await findAnyFile(client, text));
    if (!flags.yes) {
      for (const file of files) writeMessage(describeFile(file));
      const question = files.length === 1 ? 'Delete this file?' : `Delete these ${files.length} files?`;
      await confirm(context, question, 'nothing was deleted');
    }
    const body = { status: fileStatus.DELETE, ...toReason(flags) };
    const change = (file: FileDetails) => client.call(changeFileStatus, { params: { hash: file.fileHash }, body });
    return changeEach(files, file => file.fileHash, 'recordproof admin files delete', { done: 'deleted', change });
  },
  ...outcomeOf('deleted'),
});

export const restore = command({
  summary: 'Take the deletion of a file back, while its bytes are held',
  description: 'Its shares stay ended. It counts against the quota of its owner again.',
  examples: [
    {
      command: 'admin files restore 42 --reason "deleted by mistake"',
      description: 'Shows the file and its owner, and asks',
    },
    { command: 'admin files restore 42 --yes', description: 'For scripts: does not ask' },
  ],
  args: anyFileArgument,
  flags: { reason: reasonFlag, yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const file = await findAnyFile(client, args.file);
    if (!flags.yes) {
      writeMessage(describeFile(file));
      await confirm(context, 'Take the deletion of this file back?', 'nothing was restored');
    }
    const { fileHash: hash } = file;
    const body = { status: fileStatus.SUCCESS, ...toReason(flags) };
    return client.call(changeFileStatus, { params: { hash }, body });
  },
  note: stateNote,
});
