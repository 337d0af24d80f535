// Commands on folders, under `files`.
import { string as argument } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  createFolder,
  deleteFolder,
  type Folder,
  listPathHistory,
  move as moveEndpoint,
  type PathChange,
  sealFolder,
} from '@recordproof/shared/api/folders.ts';
import { joinPath, lastPart } from '@recordproof/shared/file-path.ts';
import { completedBy, many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { counted, printable, toMinute } from '../platform/output.ts';
import { alignRows, name, tableOf } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';
import { anyFilesArgument, fileArgument, findFileHash, findFileHashes } from './find-file.ts';
import { folderArgument, listAllFolders, toFolder } from './folder-argument.ts';

const conflicts = { fail: 'fail', 'keep-both': 'keepBoth', skip: 'skip' } as const;

type Move = AnswerOf<typeof moveEndpoint>;

export const move = command({
  summary: 'Move or rename files, or a folder',
  description: 'Records and proofs do not change. `files history` shows where a file has been.',
  examples: [
    { command: 'files move report.pdf --to letters/2026', description: 'Into a folder, which is created if missing' },
    { command: 'files move report.pdf --name final.pdf', description: 'Gives it another name' },
    { command: 'files move --folder letters --to archive/letters', description: 'A folder with all that is in it' },
  ],
  args: anyFilesArgument,
  flags: {
    to: string({
      helpValue: '<folder>',
      summary: 'The folder to move to; / is the top level.',
      ...completedBy('folders'),
    }),
    name: string({ helpValue: '<name>', summary: 'A new name, for one file.' }),
    folder: string({ helpValue: '<folder>', summary: 'A folder to move instead.', ...completedBy('folders') }),
    'on-conflict': option({
      options: Object.keys(conflicts) as (keyof typeof conflicts)[],
      default: 'fail',
      summary: 'What happens where a name is taken.',
    })(),
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const onConflict = conflicts[flags['on-conflict']];
    if (flags.folder !== undefined) {
      if (flags.to === undefined || args.files.length > 0 || flags.name !== undefined)
        throw new CommandError('usage', '--folder takes --to, and neither files nor --name', {
          try: 'recordproof files move --folder letters --to archive/letters',
        });
      const body = { from: toFolder(flags.folder), path: toFolder(flags.to), onConflict };
      return client.call(moveEndpoint, { body });
    }
    if (args.files.length === 0 || (flags.to === undefined && flags.name === undefined))
      throw new CommandError('usage', 'name the files and --to or --name', {
        try: 'recordproof files move report.pdf --to letters',
      });
    const body = {
      fileHash: await findFileHashes(client, args.files),
      ...(flags.to !== undefined && { path: toFolder(flags.to) }),
      ...(flags.name !== undefined && { fileName: flags.name }),
      onConflict,
    };
    return client.call(moveEndpoint, { body });
  },
  text: (moved: Move) => moved.renamed.map(file => `kept beside as ${printable(file.fileName)}`).join('\n'),
  note: ({ moved, skipped }: Move) =>
    `${moved} ${moved === 1 ? 'file' : 'files'} moved${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`,
});

export const mkdir = command({
  summary: 'Create folders',
  examples: [{ command: 'files mkdir letters/2026', description: 'With the folders above it' }],
  args: { folders: many({ required: true, description: 'The folders, as paths.', ...completedBy('folders') }) },
  async run({ args, context }) {
    const client = await context.session();
    const folders: AnswerOf<typeof createFolder>[] = [];
    for (const folder of args.folders)
      folders.push(await client.call(createFolder, { body: { path: toFolder(folder) } }));
    return { folders };
  },
  note: ({ folders }) => {
    const created = folders.filter(folder => folder.created).length;
    return `${created} created${created < folders.length ? `, ${folders.length - created} existed` : ''}`;
  },
});

export const rmdir = command({
  summary: 'Delete a folder; its files move to the trash',
  examples: [
    { command: 'files rmdir drafts', description: 'An empty folder' },
    { command: 'files rmdir drafts --recursive', description: 'With all that is in it: asks first' },
  ],
  args: folderArgument,
  flags: { recursive: boolean({ char: 'r', summary: 'Also with files in it.' }), yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const path = toFolder(args.folder);
    if (flags.recursive && !flags.yes)
      await confirm(context, `Delete ${printable(path)} with all that is in it?`, 'nothing was deleted');
    return client.call(deleteFolder, { query: { path, recursive: flags.recursive } }).catch(error => {
      if (!(error instanceof ApiError && error.kind === 'CONFLICT')) throw error;
      throw new CommandError('refused', `${printable(path)} is not empty`, { try: 'add --recursive', cause: error });
    });
  },
  note: ({ files, folders }) => `${counted(folders, 'folder')} deleted, ${counted(files, 'file')} moved to the trash`,
});

const toLine = (folder: Folder, top: string): string => {
  const below = top === '' ? folder.path : folder.path.slice(top.length + 1);
  const depth = below.split('/').length - 1;
  const files = `${folder.files} ${folder.files === 1 ? 'file' : 'files'}`;
  return `${'  '.repeat(depth)}${printable(lastPart(folder.path))}/  ${files}, ${toSize(folder.bytes)}`;
};

export const tree = command({
  summary: 'Show your folders as a tree',
  description: 'The figures of a folder are those of everything in it and below it.',
  examples: [{ command: 'files tree letters', description: 'What is below a folder' }],
  args: { folder: argument({ description: 'The folder to begin with.', ...completedBy('folders') }) },
  async run({ args, context }) {
    const top = toFolder(args.folder ?? '');
    return { top, folders: await listAllFolders(await context.session(), top) };
  },
  text: ({ top, folders }) =>
    folders
      .toSorted((a, b) => (toTreeOrder(a) < toTreeOrder(b) ? -1 : 1))
      .map(folder => toLine(folder, top))
      .join('\n'),
  note: ({ folders }) => (folders.length === 0 ? 'no folders' : ''),
});

/** The contents of a folder sort directly after it: no character sorts before the separator. */
const toTreeOrder = ({ path }: Folder): string => path.replaceAll('/', '\u0000');

export const history = command({
  summary: 'Show where a file has been and what it was called',
  examples: [{ command: 'files history report.pdf', description: 'The newest change first' }],
  args: fileArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(listPathHistory, { params: { hash: await findFileHash(client, args.file) } });
  },
  text: tableOf<PathChange>({
    UNTIL: change => toMinute(change.until),
    BY: change => change.changedBy ?? '',
    NAME: name(change => joinPath(change.path ?? '', change.fileName)),
  }),
  note: changes => (changes.length === 0 ? 'never moved or renamed' : ''),
});

export const seal = command({
  summary: 'Seal a folder on the server: one list of all its files, with one proof',
  examples: [{ command: 'files seal letters/2026', description: 'Stores 2026.folder.json beside the folder' }],
  args: folderArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(sealFolder, { body: { path: toFolder(args.folder) } });
  },
  text: sealed =>
    alignRows([
      ['list', joinPath(sealed.path ?? '', sealed.fileName)],
      ['files', String(sealed.files)],
      ['record id', sealed.fileHash],
    ]),
});
