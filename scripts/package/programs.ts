// What each packaged program starts with, and what it brings along instead of reading it from the clone.

import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { builtScripts } from '../built-scripts.mjs';
import { sqliteAddon, sqliteAssets } from './sqlite-addon.ts';

export type Program = {
  name: string;
  /** TypeScript, resolved from the top of the repository. */
  entry: string;
  plugins: () => Promise<Plugin[]>;
  /** Name within the executable → file. */
  assets: () => Record<string, string>;
};

/** The code of the server's threads, bundled: a single file has no second one to start a thread from. */
const threads = [
  { folder: 'content', name: 'content-thread', exported: 'contentThreadCode' },
  { folder: 'crypto', name: 'password-thread', exported: 'passwordThreadCode' },
  { folder: 'crypto', name: 'pkcs11-thread', exported: 'pkcs11ThreadCode' },
];

async function builtThread({ folder, name, exported }: (typeof threads)[number]): Promise<Plugin> {
  const path = `../../server/src/platform/${folder}/${name}.ts`;
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minify: true,
    write: false,
    external: ['pkcs11js'], // a single file cannot bring a library of the machine along; the thread says so when asked
  });
  const source = JSON.stringify(outputFiles[0]?.text ?? '');
  const contents = `export const ${exported} = () => ({ source: ${source} });`;
  return {
    name: `built-${name}`,
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`[\\\\/]${name}-code\\.ts$`) }, () => ({ contents, loader: 'js' }));
    },
  };
}

export const programs: readonly Program[] = [
  {
    name: 'recordproof-verify',
    entry: `import '@recordproof/verifier/main.ts';`,
    plugins: async () => [builtScripts],
    assets: () => ({}),
  },
  {
    name: 'recordproof-server',
    entry: `
      import { run } from '@recordproof/server/commands/run.ts';
      run(process.argv.slice(2)).then(code => { process.exitCode = code; });
    `,
    plugins: async () => [builtScripts, sqliteAddon, ...(await Promise.all(threads.map(builtThread)))],
    assets: sqliteAssets,
  },
];
