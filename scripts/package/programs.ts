// What each packaged program starts with, and what it brings along instead of reading it from the clone.

import { parse } from 'node:path';
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

/** The code of a thread, bundled: a single file has no second one to start a thread from. */
async function builtThread(source: string, exported: string): Promise<Plugin> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../${source}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minify: true,
    write: false,
  });
  const code = JSON.stringify(outputFiles[0]?.text ?? '');
  const contents = `export const ${exported} = () => ({ source: ${code} });`;
  const name = parse(source).name;
  return {
    name: `built-${name}`,
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`[\\\\/]${name}-code\\.ts$`) }, () => ({ contents, loader: 'js' }));
    },
  };
}

const serverThreads = () =>
  Promise.all([
    builtThread('server/src/platform/content/content-thread.ts', 'contentThreadCode'),
    builtThread('server/src/platform/crypto/password-thread.ts', 'passwordThreadCode'),
    builtThread('server/src/platform/crypto/pkcs11-thread.ts', 'pkcs11ThreadCode'),
  ]);

const fileHashThread = () => builtThread('shared/src/node/file-hash-thread.mjs', 'fileHashThreadCode');

export const programs: readonly Program[] = [
  {
    name: 'recordproof-verify',
    entry: `import '@recordproof/verifier/main.ts';`,
    plugins: async () => [builtScripts, await fileHashThread()],
    assets: () => ({}),
  },
  {
    name: 'recordproof-server',
    entry: `
      import { run } from '@recordproof/server/commands/run.ts';
      run(process.argv.slice(2)).then(code => { process.exitCode = code; });
    `,
    plugins: async () => [builtScripts, sqliteAddon, ...(await serverThreads())],
    assets: sqliteAssets,
  },
];
