// Packaged programs: the entry point of each, and the assets it contains instead of reading them from the repository.

import { parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryFlags } from '@recordproof/shared/node/launch/memory-flags.mjs';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { builtScripts, withoutDevtools } from '../built-scripts.mjs';
import { pkcs11Addon, pkcs11Assets, sqliteAddon, sqliteAssets } from './native-addons.ts';

export type Program = {
  name: string;
  /** Its name on the command line of `npm run package`. */
  word: 'verify' | 'server' | 'cli';
  /** CommonJS starts faster, but allows no top-level await. */
  format: 'commonjs' | 'module';
  /** TypeScript, resolved from the repository root. */
  entry: string;
  plugins: () => Promise<Plugin[]>;
  /** Name within the executable → file. */
  assets: () => Record<string, string>;
  /** Flags for Node. */
  execArgv?: readonly string[];
  /** Bundler options of this program. */
  options?: Pick<BuildOptions, 'define' | 'banner'>;
};

/** Bundled source of a worker thread: a single executable has no second file to start it from. */
async function builtThread(source: string, exported: string, plugins: Plugin[] = []): Promise<Plugin> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../${source}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minify: true,
    write: false,
    plugins,
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
    builtThread('server/src/platform/content/intake-thread.ts', 'intakeThreadCode'),
    builtThread('server/src/platform/crypto/password-thread.ts', 'passwordThreadCode'),
    builtThread('server/src/platform/crypto/pkcs11-thread.ts', 'pkcs11ThreadCode', [pkcs11Addon]),
  ]);

const verifierThreads = () =>
  Promise.all([
    builtThread('shared/src/node/file-hash-thread.mjs', 'fileHashThreadCode'),
    builtThread('verifier/src/node/block-hash-thread.mjs', 'blockHashThreadCode'),
  ]);

const hashWorker = () => builtThread('shared/src/node/hash-worker.ts', 'hashWorkerCode');

export const programs: readonly Program[] = [
  {
    name: 'recordproof-verify',
    word: 'verify',
    format: 'commonjs',
    entry: `import '@recordproof/verifier/main.ts';`,
    plugins: async () => [builtScripts, ...(await verifierThreads())],
    assets: () => ({}),
  },
  {
    name: 'recordproof-server',
    word: 'server',
    format: 'commonjs',
    entry: `
      import { run } from '@recordproof/server/commands/run.ts';
      run(process.argv.slice(2)).then(code => { process.exitCode = code; });
    `,
    plugins: async () => [builtScripts, sqliteAddon, ...(await serverThreads())],
    assets: () => ({ ...sqliteAssets(), ...pkcs11Assets() }),
    execArgv: memoryFlags,
  },
  {
    name: 'recordproof',
    word: 'cli',
    format: 'module',
    entry: `import './cli/src/main.ts';`,
    plugins: async () => [builtScripts, withoutDevtools, ...(await verifierThreads()), await hashWorker()],
    assets: () => ({}),
    options: {
      // The production build of React.
      define: { 'process.env.NODE_ENV': '"production"' },
      banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    },
  },
];
