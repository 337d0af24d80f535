// Build configuration of the desktop app with three bundles: main process, preload, page. They contain all packages
// that they need.
import { fileURLToPath } from 'node:url';
import { buildScript } from '@recordproof/shared/node/build-script.mjs';
import { icon } from '@recordproof/shared/theme/icon.ts';
import { defineConfig } from 'electron-vite';

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

type Bundling = { emitFile(file: { type: 'asset'; fileName: string; source: string }): string };

/**
 * The files that a server serves to the interface in a browser: the icon, the engine that verifies proofs, the PDF
 * renderer, and the maker of thumbnails, a script each.
 */
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
        // A sandboxed preload must be one CommonJS file.
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
        // One file: nothing is fetched over a network, and modules run in source order.
        output: { codeSplitting: false },
      },
    },
  },
});
