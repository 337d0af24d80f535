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

/** The code of a thread, bundled: a single file has no second one to start a thread from. */
async function builtThread(thread: string, codeFile: RegExp, name: string): Promise<Plugin> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../${thread}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minify: true,
    write: false,
  });
  const source = JSON.stringify(outputFiles[0]?.text ?? '');
  const contents = `export const ${name} = () => ({ source: ${source} });`;
  return {
    name: `built thread ${name}`,
    setup({ onLoad }) {
      onLoad({ filter: codeFile }, () => ({ contents, loader: 'js' }));
    },
  };
}

const contentThread = () =>
  builtThread('server/src/platform/content/content-thread.ts', /[\\/]content-thread-code\.ts$/, 'contentThreadCode');
const passwordThread = () =>
  builtThread('server/src/platform/crypto/password-thread.ts', /[\\/]password-thread-code\.ts$/, 'passwordThreadCode');
const fileHashThread = () =>
  builtThread('shared/src/node/file-hash-thread.mjs', /[\\/]file-hash-thread-code\.ts$/, 'fileHashThreadCode');

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
    plugins: async () => [builtScripts, sqliteAddon, await contentThread(), await passwordThread()],
    assets: sqliteAssets,
  },
];
