// The files named on the command line: a file, all files below a folder, or the matches of a pattern. Links are followed
// only where they are named, so that nothing outside is included; what is left out is reported.
import { glob, lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { folderPath } from '@recordproof/shared/api/files.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable, tint, writeMessage } from '../platform/output.ts';
import { explainMissing, isUnreadable } from '../platform/system-error.ts';

export type Collected = {
  readonly paths: readonly string[];
  readonly leftOut: readonly string[];
  /** The path of files from a named folder, beginning with that folder's own name. */
  readonly folders: ReadonlyMap<string, string>;
};

const maxFiles = 100_000;
const isPattern = (text: string): boolean => /[*?[\]{}]/.test(text);

async function collectBelow(folder: string, paths: string[], leftOut: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collectBelow(path, paths, leftOut);
    else if (entry.isFile()) paths.push(path);
    else leftOut.push(path);
    if (paths.length > maxFiles)
      throw new CommandError('usage', `more than ${maxFiles} files, counted up to ${folder}`, {
        try: 'name fewer folders in one run',
      });
  }
}

async function collectOne(path: string, paths: string[], leftOut: string[]): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory()) return collectBelow(path, paths, leftOut);
  // A link that is named itself is followed.
  if (found) return void paths.push(path);
  if (isUnreadable(path)) throw new CommandError('usage', `${path}: ${explainMissing(path)}`);
  if (!isPattern(path)) throw new CommandError('usage', `there is no file ${path}`, { try: 'check the spelling' });
  return collectFitting(path, paths, leftOut);
}

async function collectFitting(pattern: string, paths: string[], leftOut: string[]): Promise<void> {
  const before = paths.length;
  for (const path of (await Array.fromAsync(glob(pattern))).sort()) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile()) paths.push(path);
    else if (!found?.isDirectory()) leftOut.push(path);
  }
  if (paths.length === before)
    throw new CommandError('usage', `no file matches ${pattern}`, { try: 'check the pattern' });
}

/** In the form of the server's paths; a folder that the server rejects becomes none. */
export function toFolder(root: string, path: string): string | undefined {
  const top = resolve(root);
  const folder = join(basename(top), relative(top, resolve(dirname(path))));
  const { success, data } = folderPath.safeParse(folder.split(sep).join('/').normalize('NFC'));
  return success ? data : undefined;
}

export async function collectFiles(inputs: readonly string[]): Promise<Collected> {
  const paths: string[] = [];
  const leftOut: string[] = [];
  const folders = new Map<string, string>();
  for (const one of inputs) {
    const before = paths.length;
    await collectOne(one, paths, leftOut);
    if (!(await lstat(one).catch(() => undefined))?.isDirectory()) continue;
    for (const path of paths.slice(before)) {
      const folder = toFolder(one, path);
      if (folder !== undefined) folders.set(path, folder);
    }
  }
  return { paths: [...new Set(paths)], leftOut, folders };
}

export async function listEmpty(paths: readonly string[]): Promise<string[]> {
  const empty: string[] = [];
  for (const path of paths) if ((await stat(path).catch(() => undefined))?.size === 0) empty.push(path);
  return empty;
}

/** An unreadable file is reported at its turn. */
export async function sumSizes(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  return bytes;
}

export function writeLeftOut(leftOut: readonly string[]): void {
  for (const path of leftOut)
    writeMessage(`${tint('yellow', 'left out:')} ${printable(path)} is a link, or neither a file nor a folder`);
}
