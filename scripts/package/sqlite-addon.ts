// better-sqlite3 in a single executable: its native part is an asset, and the one file of the package that looks for it
// on the disk is replaced. The system loads such code only from a file, so one exists for a moment, in a folder of its
// own that nobody else can write to.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const assetName = 'better-sqlite3.node';

const contents = `
const { getRawAsset } = require('node:sea');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
let addon;
function load() {
  try {
    return loadFrom(mkdtempSync(join(tmpdir(), 'recordproof-addon-')));
  } catch (cause) {
    const why = \`the driver of the embedded database cannot be loaded from \${tmpdir()} (\${cause.code})\`;
    const error = new Error(why + '; let TMPDIR name a folder with room that programs may run from', { cause });
    throw Object.assign(error, { code: 'DRIVER_NOT_LOADED' });
  }
}
function loadFrom(folder) {
  try {
    const path = join(folder, '${assetName}');
    writeFileSync(path, new Uint8Array(getRawAsset('${assetName}')), { mode: 0o600, flag: 'wx' });
    const loaded = { exports: {} };
    process.dlopen(loaded, path);
    return loaded.exports;
  } finally {
    // Where a loaded file cannot be removed, it stays in the folder for temporary files.
    try { rmSync(folder, { recursive: true, force: true }); } catch {}
  }
}
exports.getBinding = () => (addon ??= load());
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
