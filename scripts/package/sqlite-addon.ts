// better-sqlite3 in a single executable: its native addon is an asset, and the package's one file that searches the
// disk for it is replaced.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { toAddonLoader } from './embedded-addon.ts';

const assetName = 'better-sqlite3.node';

const loader = toAddonLoader({
  assetName,
  what: 'the driver of the embedded database',
  code: 'DRIVER_NOT_LOADED',
});

const contents = `${loader}
let addon;
exports.getBinding = () => (addon ??= loadAddon());
`;

export const sqliteAddon: Plugin = {
  name: 'sqlite-addon',
  setup(build) {
    build.onLoad({ filter: /[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/ }, () => ({ contents, loader: 'js' }));
  },
};

function isMusl(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined;
}

export function sqliteAssets(): Record<string, string> {
  const library = createRequire(import.meta.url).resolve('better-sqlite3');
  const name = `${isMusl() ? 'linuxmusl' : process.platform}-${process.arch}.node`;
  const path = join(dirname(library), '..', 'prebuilds', name);
  if (!existsSync(path)) throw new Error(`better-sqlite3 brings no ${name}`);
  return { [assetName]: path };
}
