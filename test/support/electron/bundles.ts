// Builds the desktop app for a test: its program and preload as they are shipped, and, for tests of the bridge alone, a
// page with nothing else.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'electron-vite';
import { build as buildPage } from 'esbuild';

const desktop = fileURLToPath(new URL('../../../desktop/', import.meta.url));
const probe = fileURLToPath(new URL('./probe-page.ts', import.meta.url));

/** Into a folder of its own, so that concurrent runs are independent. */
export async function buildDesktop(out: string): Promise<void> {
  await build({
    root: desktop,
    configFile: join(desktop, 'electron.vite.config.ts'),
    build: { outDir: out },
    logLevel: 'error',
  });
}

/** Instead of the interface: a page with the bridge as the global `bridge`. */
export async function buildProbePage(out: string): Promise<void> {
  const folder = join(out, 'renderer');
  await mkdir(folder, { recursive: true });
  await buildPage({ entryPoints: [probe], bundle: true, format: 'esm', outfile: join(folder, 'probe.js') });
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><title>probe</title><input type="file" multiple><script type="module" src="/probe.js"></script>\n',
  );
}
