// All entries below a folder, in the order of a folder list, with at most one folder per depth in memory. Links are not
// followed, so that nothing outside is included.
import { type Dir, type Dirent, lstatSync, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { comparePaths, findPathFault } from '../evidence/folder-list.ts';

export type Walked =
  | { readonly kind: 'file'; readonly path: string; readonly diskPath: string }
  /** A link, or something that is neither file nor folder: it has no bytes of its own. */
  | { readonly kind: 'other'; readonly path: string }
  /** Not allowed in a list; `path` is for display only. */
  | { readonly kind: 'unfit'; readonly path: string; readonly fault: string }
  /** An unreadable folder. */
  | { readonly kind: 'unreadable'; readonly path: string };

type WalkEntry = {
  readonly kind: 'file' | 'folder' | 'other';
  /** The name in the file system. */
  readonly name: string;
  /** In Unicode form NFC, with a trailing slash for folders, so that names sort like whole paths. */
  readonly key: string;
};

/** Paths are in form NFC; `diskPath` is the path in the form that the file system has. */
export function* walkFolder(folder: string): Generator<Walked> {
  const open = [{ path: '', diskPath: folder, entries: readEntries(folder) }];
  for (let below = open.at(-1); below !== undefined; below = open.at(-1)) {
    const { path: base, diskPath: within, entries } = below;
    const entry = entries.pop();
    if (entry === undefined) {
      open.pop();
      continue;
    }
    const path = base + (entry.kind === 'folder' ? entry.key.slice(0, -1) : entry.key);
    const diskPath = join(within, entry.name);
    const fault = findFault(path, diskPath, entry.key === entries.at(-1)?.key);
    if (fault !== undefined) yield { kind: 'unfit', path, fault };
    else if (entry.kind !== 'folder') yield { kind: entry.kind, path, diskPath };
    else {
      const inside = tryReadEntries(diskPath);
      if (inside === undefined) yield { kind: 'unreadable', path };
      else open.push({ path: `${path}/`, diskPath, entries: inside });
    }
  }
}

function findFault(path: string, diskPath: string, hasTwin: boolean): string | undefined {
  if (hasTwin) return 'differs from another name only in its Unicode form';
  // A name that is not UTF-8 is decoded with this character, and no entry has the decoded name.
  if (path.includes('\ufffd') && lstatSync(diskPath, { throwIfNoEntry: false }) === undefined) return 'is not UTF-8';
  return findPathFault(path);
}

function tryReadEntries(diskPath: string): WalkEntry[] | undefined {
  try {
    return readEntries(diskPath);
  } catch {
    return undefined;
  }
}

function openFolder(diskPath: string): Dir {
  try {
    return opendirSync(diskPath, { bufferSize: 1024 });
  } catch (error) {
    throw Object.assign(error as Error, { path: diskPath }); // Node omits the path
  }
}

/** In reverse order. */
function readEntries(diskPath: string): WalkEntry[] {
  const entries: WalkEntry[] = [];
  using folder = openFolder(diskPath);
  for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) entries.push(toFound(entry));
  return entries.sort((left, right) => comparePaths(right.key, left.key));
}

function toFound(entry: Dirent): WalkEntry {
  const { name } = entry;
  const key = name.normalize('NFC');
  if (entry.isDirectory()) return { kind: 'folder', name, key: `${key}/` };
  return { kind: entry.isFile() ? 'file' : 'other', name, key };
}
