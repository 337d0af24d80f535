// Native addon inside a single executable. The system loads addons from files only, so it is copied to a private
// temporary folder, loaded and removed.

type Addon = {
  readonly assetName: string;
  /** Its name in the error message if it cannot be loaded. */
  readonly what: string;
  /** Error code, for the code that explains it. */
  readonly code: string;
};

/** CommonJS source that defines `loadAddon()`. */
export const toAddonLoader = ({ assetName, what, code }: Addon): string => `
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
    throw Object.assign(error, { code: '${code}' });
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
