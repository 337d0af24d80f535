// Native addons of better-sqlite3 and pkcs11js inside a single executable, as assets. The system loads addons from
// files only, so each is copied to a private temporary folder, loaded and removed.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** CommonJS source that defines `loadAddon()`. `what`: the name of the addon in the error message. */
const toAddonLoader = (assetName: string, what: string): string => `
const { getRawAsset } = require('node:sea');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
function loadAddon() {
  try {
    return loadFrom(mkdtempSync(join(tmpdir(), 'recordproof-addon-')));
  } catch (cause) {
    const why = \`${what} cannot be loaded from \${tmpdir()} (\${cause.code})\`;
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
`;

const sqliteAsset = 'better-sqlite3.node';

const sqliteLoader = `${toAddonLoader(sqliteAsset, 'the driver of the embedded database')}
let addon;
exports.getBinding = () => (addon ??= loadAddon());
`;

/** Replaces the package's one file that searches the disk for the addon. */
export const sqliteAddon: Plugin = {
  name: 'sqlite-addon',
  setup(build) {
    build.onLoad({ filter: /[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/ }, () => ({
      contents: sqliteLoader,
      loader: 'js',
    }));
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
  return { [sqliteAsset]: path };
}

const pkcs11Asset = 'pkcs11js.node';
const pkcs11Folder = new URL('../../node_modules/pkcs11js/', import.meta.url);
const pkcs11File = fileURLToPath(new URL('build/Release/pkcs11.node', pkcs11Folder));

const withAddon = `
import pkcs11 from 'pkcs11js';
export const importPkcs11 = async () => pkcs11;
export const remedy = 'let TMPDIR name a folder with room that programs may run from';
`;

const withoutAddon = `
export const importPkcs11 = async () => { throw new Error('this program was packaged without pkcs11js'); };
export const remedy = 'this program was packaged without it: use one that has it, or run the server from its sources';
`;

const pkcs11Loader = `${toAddonLoader(pkcs11Asset, 'the driver of hardware modules')}
module.exports = loadAddon();
`;

/**
 * For the thread that talks to the token. If the package was not built before packaging, the program reports that when
 * a hardware module is configured.
 */
export const pkcs11Addon: Plugin = {
  name: 'pkcs11-addon',
  setup(build) {
    const contents = existsSync(pkcs11File) ? withAddon : withoutAddon;
    const resolveDir = fileURLToPath(pkcs11Folder);
    build.onLoad({ filter: /[\\/]pkcs11-package\.ts$/ }, () => ({ contents, loader: 'js', resolveDir }));
    build.onLoad({ filter: /[\\/]pkcs11\.node$/ }, () => ({ contents: pkcs11Loader, loader: 'js' }));
  },
};

export const pkcs11Assets = (): Record<string, string> => (existsSync(pkcs11File) ? { [pkcs11Asset]: pkcs11File } : {});
