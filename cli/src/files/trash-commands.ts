// Commands under `files trash`.
import { string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { type File, toFilePath } from '@recordproof/shared/api/files.ts';
import {
  emptyTrash,
  listTrash,
  mostTrashed,
  restoreFromTrash,
  type TrashedFile,
} from '@recordproof/shared/api/trash.ts';
import { completedBy, many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf, walkPages } from '../platform/pages.ts';
import { hash, name, tableOf } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';
import { filesTable } from './file-table.ts';
import { toFolder } from './folder-argument.ts';

const trashPages = pagesOf('file', 'files', ['deletedAt']);

export const trashList = command({
  summary: 'List deleted files that can be restored',
  description: 'What is in the trash counts for the quota until it is purged.',
  examples: [{ command: 'files trash list', description: 'The newest twenty, with the day they are purged' }],
  flags: trashPages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listTrash, { query: trashPages.toQuery(flags) }),
  text: tableOf<TrashedFile>({
    VERSION: file => `v${file.version}`,
    RECORD: hash(file => file.fileHash),
    SIZE: file => toSize(file.fileSize),
    DELETED: file => toMinute(file.deletedAt),
    PURGED: file => toMinute(file.expiresAt),
    NAME: name(toFilePath),
  }),
  note: trashPages.note,
});

const trashedArgument = {
  files: many({ description: 'The files: record id (its first 8 digits will do), name or path.' }),
};

const listAllTrash = (client: Client): Promise<TrashedFile[]> =>
  Array.fromAsync(walkPages(page => client.call(listTrash, { query: { page, size: 100 } })));

async function findTrashed(client: Client, texts: readonly string[]): Promise<string[]> {
  const trashed = await listAllTrash(client);
  const hashes = texts.map(text => {
    const isMeant = (file: TrashedFile): boolean =>
      file.fileName === text || toFilePath(file) === text || (text.length >= 8 && file.fileHash.startsWith(text));
    const [only, ...others] = trashed.filter(isMeant);
    if (only === undefined)
      throw new CommandError('refused', `"${printable(text)}" is not in the trash`, {
        try: 'recordproof files trash list',
      });
    if (others.length > 0)
      throw new CommandError('usage', `"${printable(text)}" could be any of ${others.length + 1} files`, {
        try: 'say which by its record id: recordproof files trash list',
      });
    return only.fileHash;
  });
  return [...new Set(hashes)];
}

async function findTrashedBelow(client: Client, folder: string): Promise<string[]> {
  const isBelow = ({ path }: TrashedFile): boolean => folder === '' || `${path ?? ''}/`.startsWith(`${folder}/`);
  const found = (await listAllTrash(client)).filter(isBelow);
  if (found.length === 0)
    throw new CommandError('refused', `nothing from ${printable(folder)} is in the trash`, {
      try: 'recordproof files trash list',
    });
  return found.map(({ fileHash }) => fileHash);
}

export const trashRestore = command({
  summary: 'Restore deleted files where they were',
  description: 'A folder that is gone is created again; a file whose name is taken meanwhile is numbered.',
  examples: [
    { command: 'files trash restore report.pdf', description: 'The file with all versions deleted with it' },
    { command: 'files trash restore --folder letters/2026', description: 'Everything deleted from a folder' },
  ],
  args: trashedArgument,
  flags: {
    folder: string({
      helpValue: '<folder>',
      summary: 'Everything that was deleted from this folder and those below it; / is all.',
      ...completedBy('folders'),
    }),
  },
  async run({ flags, args, context }) {
    if (args.files.length > 0 === (flags.folder !== undefined))
      throw new CommandError('usage', 'name the files, or a folder with --folder', {
        try: 'recordproof files trash restore report.pdf',
      });
    const client = await context.session();
    const hashes =
      flags.folder === undefined
        ? await findTrashed(client, args.files)
        : await findTrashedBelow(client, toFolder(flags.folder));
    const restored: File[] = [];
    for (let at = 0; at < hashes.length; at += mostTrashed)
      restored.push(
        ...(await client.call(restoreFromTrash, { body: { fileHash: hashes.slice(at, at + mostTrashed) } })),
      );
    return restored;
  },
  text: filesTable,
  note: files => `${files.length} restored`,
});

export const trashEmpty = command({
  summary: 'Delete the trash, or some files in it, for good',
  description: 'The bytes are deleted at once and cannot be restored. Records and proofs stay as evidence.',
  examples: [
    { command: 'files trash empty', description: 'All of it: asks first' },
    { command: 'files trash empty report.pdf --yes', description: 'One file, without asking' },
  ],
  args: trashedArgument,
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const chosen = args.files.length > 0 ? await findTrashed(client, args.files) : undefined;
    const what = chosen === undefined ? 'everything in the trash' : `${chosen.length} of the files in the trash`;
    if (!flags.yes) await confirm(context, `Delete ${what} for good?`, 'nothing was deleted');
    let [files, bytes] = [0, 0];
    for (let more = true; more; ) {
      const answer = await client.call(emptyTrash, { body: chosen === undefined ? {} : { fileHash: chosen } });
      files += answer.files;
      bytes += answer.bytes;
      more = answer.more;
    }
    return { files, bytes };
  },
  note: ({ files, bytes }) => `${files} deleted for good (${toSize(bytes)})`,
});
