// Three bundles: the program, what runs before the page, and the page. Nothing of node_modules has to be packed along.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'electron-vite';

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  main: {
    build: {
      externalizeDeps: false,
      outDir: from('out/main'),
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
      outDir: from('out/preload'),
      rollupOptions: {
        input: { preload: from('src/preload/preload.ts') },
        // The sandbox takes one file of CommonJS.
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
});
