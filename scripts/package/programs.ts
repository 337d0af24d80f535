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

/** The code of one kind of the server's threads, bundled: a single file has no second one to start a thread from. */
async function builtThread(folder: string, kind: 'content' | 'password'): Promise<Plugin> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../server/src/platform/${folder}/${kind}-thread.ts`, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minify: true,
    write: false,
  });
  const source = JSON.stringify(outputFiles[0]?.text ?? '');
  const contents = `export const ${kind}ThreadCode = () => ({ source: ${source} });`;
  return {
    name: `built-${kind}-thread`,
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`[\\\\/]${kind}-thread-code\\.ts$`) }, () => ({ contents, loader: 'js' }));
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
    plugins: async () => [
      builtScripts,
      sqliteAddon,
      await builtThread('content', 'content'),
      await builtThread('crypto', 'password'),
    ],
    assets: sqliteAssets,
  },
];
