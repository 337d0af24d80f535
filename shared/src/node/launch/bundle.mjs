// The bundles of server, verifier, CLI and test processes, as a start finds them. They are made by
// scripts/server-bundle.mjs; a bundle of other sources than these is not used.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
export const bundleFolder = join(root, 'node_modules', '.recordproof', 'server');
export const childrenFolder = join(bundleFolder, '..', 'children');

/** Where Node keeps compiled code between starts: next to the sources, so that only their owner can write it. */
export const compileCache = join(bundleFolder, '..', 'compiled');

/** Beside each program its sources, with their stamps; in `files` the files of the newest bundle. */
export function readRecord(folder, name) {
  const file = join(folder, `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** `root` ends with a separator. Joining paths would take longer than asking for the files: hundreds at each start. */
export function stampOf(name) {
  const { mtimeMs, size } = statSync(root + name, { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size}`;
}

/** The address to import for the sources as they are now; undefined when there is no bundle of them. */
export function findBundle(entry, folder = bundleFolder) {
  const stamps = readRecord(folder, entry);
  const isCurrent = stamps && Object.entries(stamps).every(([name, stamp]) => stampOf(name) === stamp);
  return isCurrent ? pathToFileURL(join(folder, `${entry}.mjs`)) : undefined;
}
