// Puts the scripts of pages into a bundle, in place of the calls that would build them from their sources
// (shared/src/node/build-script.mjs).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptOptions } from '../shared/src/node/build-script.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const call = /\bbuildScript\(new URL\('([^']+)', import\.meta\.url\)\)/g;

/** A source with its scripts in it, and the names of what these were made of. */
export async function putScripts(path) {
  const { build } = await import('esbuild');
  let text = readFileSync(path, 'utf8');
  const inputs = [];
  for (const [found, entry] of [...text.matchAll(call)]) {
    const entryPoints = [join(dirname(path), entry)];
    const made = await build({ ...scriptOptions, absWorkingDir: root, entryPoints, metafile: true });
    inputs.push(...Object.keys(made.metafile.inputs));
    text = text.replace(found, () => `Promise.resolve(${JSON.stringify(made.outputFiles[0].text)})`);
  }
  return { text, inputs };
}

export const builtScripts = {
  name: 'built scripts',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const { text, inputs } = await putScripts(path);
      return inputs.length === 0 ? undefined : { contents: text, loader: 'ts' };
    });
  },
};
