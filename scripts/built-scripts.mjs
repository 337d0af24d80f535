// Puts the scripts of pages, and the app, into a bundle, in place of the calls that would build them from their sources
// (shared/src/node/build-script.mjs).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAppFrom, scriptOptions } from '../shared/src/node/build-script.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const urlCall = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g;
const call = new RegExp(`\\b(buildScript|buildApp)\\(\\s*((?:${urlCall.source},?\\s*)+)\\)`, 'g');

/** As a string literal. `import.meta` within the script is the script's own: who replaces that in the source must not find it. */
const toLiteral = value => JSON.stringify(value).replaceAll('import.meta', 'import\\u002emeta');

async function makeScript(entryPoints) {
  const { build } = await import('esbuild');
  const made = await build({ ...scriptOptions, absWorkingDir: root, entryPoints, metafile: true });
  return [made.outputFiles[0].text, Object.keys(made.metafile.inputs)];
}

async function makeApp(entryPoints) {
  const { app, inputs } = await buildAppFrom(entryPoints, root);
  return [app, inputs];
}

/** A source with its scripts in it, and the names of what these were made of. */
export async function putScripts(path) {
  let text = readFileSync(path, 'utf8');
  const inputs = [];
  for (const [found, builder, paths] of [...text.matchAll(call)]) {
    const entryPoints = [...paths.matchAll(urlCall)].map(([, entry]) => join(dirname(path), entry));
    const [result, sources] = await (builder === 'buildApp' ? makeApp(entryPoints) : makeScript(entryPoints));
    inputs.push(...sources);
    text = text.replace(found, () => `Promise.resolve(${toLiteral(result)})`);
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

/** Ink loads its devtools if the environment asks for them; that package is not installed. */
export const withoutDevtools = {
  name: 'without-devtools',
  setup(build) {
    build.onLoad({ filter: /[\\/]ink[\\/]build[\\/]devtools\.js$/ }, () => ({ contents: 'export {};', loader: 'js' }));
  },
};
