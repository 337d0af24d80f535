// Location of Electron's binary, which its npm package does not contain.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));

const nameIn = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);

/** The folder to package, and the program in it. */
export function findElectron(): { readonly folder: string; readonly path: string } | undefined {
  const dist = process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(folder, 'dist');
  const path = join(dist, nameIn(join(folder, 'path.txt')) ?? 'electron');
  return existsSync(path) ? { folder: dist, path } : undefined;
}

export const noElectron =
  'no binary of Electron (npx install-electron fetches it from GitHub, or from what ELECTRON_MIRROR names)';
