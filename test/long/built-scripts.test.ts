// Scripts of pages are in the bundle: a program that runs from one has neither esbuild nor sources.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPage } from '@recordproof/verifier/web/page/build-page.ts';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { builtScripts, putScripts } from '../../scripts/built-scripts.mjs';
import { makeApp, makeShareScript } from '../../server/src/features/site/pages.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

test.each([
  ['server/src/features/site/pages.ts', 'makeShareScript', makeShareScript],
  ['server/src/features/site/pages.ts', 'makeApp', makeApp],
  ['verifier/src/web/page/build-page.ts', 'buildPage', buildPage],
])('a bundle of %s contains the same scripts as its sources', async (entry, name, fromSources) => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-built-'));
  try {
    const outfile = join(folder, 'bundle.mjs');
    const { metafile } = await build({
      entryPoints: [pathOf(entry)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['esbuild'],
      metafile: true,
      plugins: [builtScripts],
    });
    const imports = Object.values(metafile.outputs).flatMap(output => output.imports.map(({ path }) => path));
    expect(imports).not.toContain('esbuild');
    const bundled = (await import(pathToFileURL(outfile).href)) as Record<string, () => Promise<unknown>>;
    expect(await bundled[name]?.()).toEqual(await fromSources());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('embedded scripts contain no import.meta, so a bundler cannot change them', async () => {
  const { text } = await putScripts(pathOf('server/src/features/site/pages.ts'));
  expect(text.includes('import.meta')).toBe(false);
});

test('embedding lists the inputs of the scripts, so that a change invalidates the bundle', async () => {
  const { inputs } = await putScripts(pathOf('server/src/features/site/pages.ts'));
  expect(inputs).toContain('server/src/features/site/client/share.ts');
  expect(inputs).toContain('shared/src/browser/elements.ts');
});
