// One proof for a whole folder: its list is written next to it and proven as a file. The files themselves are stored
// before, unless the list is to be private.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { folderListType, readFolderList } from '@recordproof/shared/evidence/folder-list.ts';
import { walkFolder } from '@recordproof/shared/node/walk-folder.ts';
import { toLocalName } from '../files/local-names.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable, tint, writeMessage } from '../platform/output.ts';
import { type Reports, reportEach } from '../platform/report.ts';
import type { Transfers } from '../platform/transfers.ts';
import { toSize } from '../platform/units.ts';
import { type BulkUploads, openBulkUploads } from '../uploads/bulk-uploads.ts';
import { toFolder } from '../uploads/collect-files.ts';
import { type UploadReport, uploadOne } from '../uploads/upload-one.ts';
import { besideFile } from './archive-names.ts';
import { isThere } from './existing-archive.ts';
import { isOver, type ProveOptions, type ProveReport, proveFiles } from './prove-files.ts';
import { type SealedFolder, sealFolder } from './seal-folder.ts';

type FolderOptions = Omit<ProveOptions, 'toArchivePath' | 'contentType' | 'folders'> & {
  /** The folder for list and archive; else next to the folder. */
  readonly output: string | undefined;
  /** Only the list leaves the machine. */
  readonly isPrivate: boolean;
};

type FolderReport = Reports<ProveReport> & { readonly sealed: SealedFolder };

export async function proveFolder(transfers: Transfers, folder: string, options: FolderOptions): Promise<FolderReport> {
  const list = await findListPath(folder, options.output);
  if (!options.force) {
    await rejectAny(list);
    if (options.wait) await rejectAny(besideFile(list, options.form));
  }
  const sealed = await seal(transfers, folder, list, options.force);
  writeMessage(`${printable(list)}: ${sealed.files} files, ${toSize(sealed.bytes)}`);
  if (!options.isPrivate) await storeFiles(transfers, folder, list, options);
  const toArchivePath = (path: string): string => besideFile(path, options.form);
  const proveOptions = { ...options, toArchivePath, contentType: folderListType, folders: new Map() };
  const reports = await proveFiles(transfers, [list], proveOptions);
  if (await isOver(reports, proveOptions)) await options.finished.forget();
  return { ...reports, sealed };
}

async function rejectAny(path: string): Promise<void> {
  if (!(await isThere(path))) return;
  throw new CommandError('refused', `${printable(path)} exists`, { try: 'add --force to replace it' });
}

/** Path of the list; it cannot be inside of the folder that it lists. */
async function findListPath(folder: string, output: string | undefined): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) throw new CommandError('usage', `there is no folder ${printable(folder)}`);
  if (!found.isDirectory())
    throw new CommandError('usage', `--as-one goes with a folder, and ${printable(folder)} is none`);
  const whole = resolve(folder);
  // As it was typed, where that includes the path: paths are displayed.
  const target = output ?? dirname(basename(folder) === basename(whole) ? folder : whole);
  const way = relative(whole, resolve(target));
  if (way === '' || !(way === '..' || way.startsWith(`..${sep}`)))
    throw new CommandError('usage', `${printable(target)} is in the folder that is sealed`, {
      try: 'name another target with --output <folder>/',
    });
  if (!(await stat(target).catch(() => undefined))?.isDirectory())
    throw new CommandError('usage', `there is no folder ${printable(target)} for the list and its proof`);
  return join(target, toLocalName(`${basename(whole) || 'folder'}.json`, '.folder'));
}

const reportIntervalMs = 200;

async function seal(transfers: Transfers, folder: string, list: string, force: boolean): Promise<SealedFolder> {
  const { line, signal } = transfers;
  let toldAt = 0;
  line.plan(1);
  line.begin(folder, 'sealing');
  const onProgress = ({ files, bytes }: SealedFolder): void => {
    if (performance.now() - toldAt < reportIntervalMs) return;
    toldAt = performance.now();
    line.begin(`${folder} (${files} files, ${toSize(bytes)})`, 'sealing');
  };
  const tell = (text: string): void => {
    line.clear();
    writeMessage(text);
  };
  try {
    return await sealFolder(folder, list, { mayReplace: force, signal, onProgress, tell });
  } finally {
    line.end();
  }
}

type Sealed = { readonly diskPath: string; readonly size: number; readonly sha256: string };

/** The sealed files, with their local paths: list and walk have the same order. */
async function* readSealed(folder: string, list: string): AsyncGenerator<Sealed> {
  const walk = walkFolder(folder);
  for await (const entries of readFolderList(createReadStream(list))) {
    for (const { path, size, sha256 } of entries) yield { diskPath: findNext(walk, path), size, sha256 };
  }
}

function findNext(walk: ReturnType<typeof walkFolder>, path: string): string {
  for (let next = walk.next(); !next.done; next = walk.next()) {
    if (next.value.kind === 'file' && next.value.path === path) return next.value.diskPath;
  }
  throw changed(path);
}

const changed = (path: string): CommandError =>
  new CommandError('damaged', `${printable(path)} was changed after it was sealed`, {
    try: 'seal the folder again with --force, when nothing writes into it',
  });

async function storeFiles(transfers: Transfers, folder: string, list: string, options: FolderOptions): Promise<void> {
  const sealed = await Array.fromAsync(readSealed(folder, list));
  const files = sealed.filter(({ size }) => size > 0);
  const empty = sealed.length - files.length;
  if (empty > 0)
    writeMessage(
      `${tint('yellow', 'not stored:')} ${empty} empty ${empty === 1 ? 'file' : 'files'}; the list has them`,
    );
  transfers.line.plan(
    files.length,
    files.reduce((sum, { size }) => sum + size, 0),
  );
  const folders = new Map(files.flatMap(({ diskPath }) => toEntry(diskPath, toFolder(folder, diskPath))));
  const { skipExisting, finished } = options;
  const diskPaths = files.map(({ diskPath }) => diskPath);
  const bulk = await openBulkUploads(transfers, diskPaths, { skipExisting, folders, finished });
  const stored = await reportEach(
    files,
    ({ diskPath }) => diskPath,
    'recordproof prove',
    file => storeOne(transfers, bulk, file, { ...options, folder: folders.get(file.diskPath) }),
  );
  if (stored.failed === 0) return;
  throw new CommandError(
    stored.ending,
    `${stored.failed} of ${files.length} files were not stored, so the folder is not proven`,
    {
      try: 'the same command with --force, or with --private to keep the files here',
    },
  );
}

const toEntry = (diskPath: string, folder: string | undefined): [string, string][] =>
  folder === undefined ? [] : [[diskPath, folder]];

type StoreOptions = Pick<FolderOptions, 'proxied' | 'skipExisting' | 'finished'> & {
  readonly folder: string | undefined;
};

async function storeOne(
  transfers: Transfers,
  bulk: BulkUploads,
  { diskPath, sha256 }: Sealed,
  { proxied, skipExisting, finished, folder }: StoreOptions,
): Promise<UploadReport> {
  const mode = proxied ? 'proxied' : 'direct';
  const upload = { path: diskPath, mode, resume: 'allow', jobs: 4, skipExisting, finished } as const;
  const together = await bulk.upload(diskPath);
  const stored =
    together ?? (await uploadOne(transfers, { ...upload, ...(folder !== undefined && { folder }) }, diskPath));
  if (stored.contentHash !== sha256) throw changed(diskPath);
  return stored;
}
