// Three bundles: the program, what runs before the page, and the page. Nothing of node_modules has to be packed along.
import { fileURLToPath } from 'node:url';
import { buildScript } from '@recordproof/shared/node/build-script.mjs';
import { icon } from '@recordproof/shared/theme/icon.ts';
import { defineConfig } from 'electron-vite';

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

type Bundling = { emitFile(file: { type: 'asset'; fileName: string; source: string }): string };

/** What the interface has from the server in a browser: the sign, the engine that verifies proofs, what draws PDF, and what makes thumbnails, a script each. */
const besides = {
  name: 'besides',
  async generateBundle(this: Bundling) {
    this.emitFile({ type: 'asset', fileName: 'assets/icon.svg', source: icon });
    const worker = await buildScript(new URL('../verifier/src/web/client/worker.ts', import.meta.url));
    this.emitFile({ type: 'asset', fileName: 'worker.js', source: worker });
    const pdf = await buildScript(new URL('./src/bridge/browser/pdf-worker.ts', import.meta.url));
    this.emitFile({ type: 'asset', fileName: 'pdf-worker.js', source: pdf });
    const thumbnails = await buildScript(new URL('./src/bridge/browser/thumbnail-worker.ts', import.meta.url));
    this.emitFile({ type: 'asset', fileName: 'thumbnail-worker.js', source: thumbnails });
  },
};

export default defineConfig({
  main: {
    build: {
      externalizeDeps: false,
      rollupOptions: {
        input: {
          main: from('src/main/main.ts'),
          transfers: from('src/transfers/process.ts'),
          'hash-thread': from('../shared/src/node/hash-worker.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false,
      rollupOptions: {
        input: { preload: from('src/preload/preload.ts') },
        // The sandbox takes one file of CommonJS.
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: from('src/bridge/desktop'),
    plugins: [besides],
    build: {
      minify: true,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: from('src/bridge/desktop/index.html'),
        // Nothing has to travel, and in one file all is run in the order in which it is written.
        output: { codeSplitting: false },
      },
    },
  },
});
