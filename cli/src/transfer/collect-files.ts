// From what stands on the command line to files: a file, everything below a folder, or what a pattern fits. Links that
// were not named themselves are not followed, so that nothing outside slips in; what is left out is said.
import { glob, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fixable } from '../fixable.ts';
import { printable, say, tint } from '../output.ts';

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
  return collectFitting(given, paths, leftOut);
}

async function collectFitting(pattern: string, paths: string[], leftOut: string[]): Promise<void> {
  const before = paths.length;
  for (const path of (await Array.fromAsync(glob(pattern))).sort()) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile()) paths.push(path);
    else if (!found?.isDirectory()) leftOut.push(path);
  }
  if (paths.length === before) throw new Fixable('usage', `no file fits ${pattern}`);
}

export async function collectFiles(given: readonly string[]): Promise<Collected> {
  const paths: string[] = [];
  const leftOut: string[] = [];
  for (const one of given) await collectOne(one, paths, leftOut);
  return { paths: [...new Set(paths)], leftOut };
}

export function sayLeftOut(leftOut: readonly string[]): void {
  for (const path of leftOut)
    say(`${tint('yellow', 'left out:')} ${printable(path)} is a link, or neither a file nor a folder`);
}
