// From what stands on the command line to files: a file, everything below a folder, or what a pattern fits. Links are
// not followed below folders, so that nothing outside slips in; what is left out is said.
import { glob, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fixable } from '../fixable.ts';

export type Collected = { readonly paths: readonly string[]; readonly leftOut: readonly string[] };

const maxFiles = 100_000;
const isPattern = (text: string): boolean => /[*?[\]{}]/.test(text);

async function collectBelow(folder: string, paths: string[], leftOut: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collectBelow(path, paths, leftOut);
    else if (entry.isFile()) paths.push(path);
    else leftOut.push(path);
    if (paths.length > maxFiles) throw new Fixable('usage', `${folder} has more than ${maxFiles} files in it`);
  }
}

async function collectOne(given: string, paths: string[], leftOut: string[]): Promise<void> {
  const found = await lstat(given).catch(() => undefined);
  if (found?.isDirectory()) return collectBelow(given, paths, leftOut);
  // A link that is named itself is meant.
  if (found) return void paths.push(given);
  if (!isPattern(given)) throw new Fixable('usage', `there is no file ${given}`, { try: 'check the spelling' });
  const before = paths.length;
  for await (const entry of glob(given, { withFileTypes: true })) {
    if (entry.isFile()) paths.push(join(entry.parentPath, entry.name));
  }
  if (paths.length === before) throw new Fixable('usage', `no file fits ${given}`);
}

export async function collectFiles(given: readonly string[]): Promise<Collected> {
  const paths: string[] = [];
  const leftOut: string[] = [];
  for (const one of given) await collectOne(one, paths, leftOut);
  return { paths: [...new Set(paths)], leftOut };
}
