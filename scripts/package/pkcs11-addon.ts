// pkcs11js in a single executable, for the thread that talks to the token: its native addon is an asset. If the package
// was not built before packaging, the program reports that when a hardware module is configured.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { toAddonLoader } from './embedded-addon.ts';

const assetName = 'pkcs11js.node';
const folder = new URL('../../node_modules/pkcs11js/', import.meta.url);
const addon = fileURLToPath(new URL('build/Release/pkcs11.node', folder));

const withAddon = `
import pkcs11 from 'pkcs11js';
export const importPkcs11 = async () => pkcs11;
export const remedy = 'let TMPDIR name a folder with room that programs may run from';
`;

const withoutAddon = `
export const importPkcs11 = async () => { throw new Error('this program was packaged without pkcs11js'); };
export const remedy = 'this program was packaged without it: use one that has it, or run the server from its sources';
`;

const loader = `${toAddonLoader({ assetName, what: 'the driver of hardware modules', code: 'DRIVER_NOT_LOADED' })}
module.exports = loadAddon();
`;

export const pkcs11Addon: Plugin = {
  name: 'pkcs11-addon',
  setup(build) {
    const contents = existsSync(addon) ? withAddon : withoutAddon;
    const resolveDir = fileURLToPath(folder);
    build.onLoad({ filter: /[\\/]pkcs11-package\.ts$/ }, () => ({ contents, loader: 'js', resolveDir }));
    build.onLoad({ filter: /[\\/]pkcs11\.node$/ }, () => ({ contents: loader, loader: 'js' }));
  },
};

export const pkcs11Assets = (): Record<string, string> => (existsSync(addon) ? { [assetName]: addon } : {});
