// Builder of one browser script from the sources of a client, in memory. Packaging replaces the call by its result
// (scripts/built-scripts.mjs), because a packaged program contains neither esbuild nor sources.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Bundles the decoders that pdf.js would load from a URL for two kinds of images. */
const pdfDecoders = {
  name: 'picture decoders of pdf.js',
  setup(build) {
    build.onLoad({ filter: /pdfjs-dist[\\/]build[\\/]pdf\.worker\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const byAddress = /import\(\s*(?:\/\*[^*]*\*\/\s*)*`\$\{WasmImage\.#wasmUrl\}\$\{this\._noWasmFilename\}`\)/;
      if (!byAddress.test(text)) throw new Error(`${path} loads its decoders in another way: adjust this plugin`);
      const [jbig2, openjpeg] = ['jbig2', 'openjpeg'].map(name => `import('../wasm/${name}_nowasm_fallback.js')`);
      return {
        contents: text.replace(byAddress, `(this._noWasmFilename.startsWith('jbig2') ? ${jbig2} : ${openjpeg})`),
      };
    });
  },
};

/** The options with which another bundler gives the same result. */
export const scriptOptions = {
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
  plugins: [pdfDecoders],
};

/** On use: a packaged program has no such path. */
const toRepository = () => fileURLToPath(new URL('../../..', import.meta.url));

/** Written as `buildScript(new URL('…', import.meta.url))`, by which bundlers find it. */
export async function buildScript(entry) {
  const path = fileURLToPath(entry);
  const { keepBuilt } = await import('./built-pages.mjs');
  return keepBuilt([path], async () => {
    const { build } = await import('esbuild');
    const options = { ...scriptOptions, absWorkingDir: toRepository(), metafile: true };
    const { outputFiles, metafile } = await build({ ...options, entryPoints: [path] });
    return { built: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
  });
}

/** Error messages of zod in fifty languages, of which only English is used. */
const locales = /zod[\\/]v4[\\/]locales[\\/]index\.js$/;
const english = "export { default as en } from './en.js';";

/** The JSON Schema output of zod, which only the server uses, for its OpenAPI document. */
const schemaWriters = /zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/;

/**
 * The same exports as stubs that throw when called; those that are called when a schema is created return such a stub.
 */
function withoutSchemaWriters(path) {
  const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
  const fail = "const fail = () => { throw new Error('JSON schemas are not written in a browser'); };";
  const make = 'const make = () => fail;';
  const exported = names.map(name => `export const ${name} = ${name.startsWith('create') ? 'make' : 'fail'};`);
  return [fail, make, ...exported].join('\n');
}

/** The replacement of a module in a browser; undefined for all others. */
function shorten(path) {
  if (locales.test(path)) return english;
  return schemaWriters.test(path) ? withoutSchemaWriters(path) : undefined;
}

/** Descriptions for the API reference, which no screen shows. */
const contracts = /shared[\\/]src[\\/]api[\\/][\w-]+\.ts$/;
const isText = ({ key, shorthand }) => !shorthand && (key?.name === 'summary' || key?.name === 'description');

/** Descriptions of endpoints and of `.meta`. */
function* findTexts(node) {
  if (node === null || typeof node !== 'object') return;
  const name = node.callee?.property?.name ?? node.callee?.name;
  if (name === 'endpoint' || name === 'meta')
    for (const { properties = [] } of node.arguments) for (const one of properties) if (isText(one)) yield one.value;
  for (const part of Object.values(node)) yield* findTexts(part);
}

function withoutTexts(code, tree) {
  const fromTheEnd = [...findTexts(tree)].sort((one, other) => other.start - one.start);
  return fromTheEnd.reduce((text, { start, end }) => `${text.slice(0, start)}''${text.slice(end)}`, code);
}

// zod compiles schemas with eval, which the policy of the page forbids; it checks for that when it is loaded.
const withoutJit = 'globalThis.__zod_globalConfig??={jitless:true};';

/** Workers, each with a content-based name; shared code is in separate files. */
const workerOptions = {
  ...scriptOptions,
  format: 'esm',
  splitting: true,
  outdir: '/',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
  banner: { js: withoutJit },
  plugins: [
    ...scriptOptions.plugins,
    {
      name: 'shorter modules',
      setup: build =>
        build.onLoad({ filter: /zod[\\/]v4[\\/]/ }, ({ path }) => {
          const contents = shorten(path);
          return contents === undefined ? undefined : { contents };
        }),
    },
  ],
};

const nameOf = path => path.slice(path.lastIndexOf('/') + 1);
const withoutEnding = path => nameOf(path).replace(/\.\w+$/, '');

async function buildWorkers(entryPoints, root) {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({ ...workerOptions, entryPoints, absWorkingDir: root });
  const outputs = Object.entries(metafile.outputs);
  const entries = outputs
    .filter(([, { entryPoint }]) => entryPoint !== undefined)
    .map(([path, { entryPoint, imports }]) => {
      const early = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
      return [withoutEnding(entryPoint), { file: nameOf(path), early: early.map(one => nameOf(one.path)) }];
    });
  return {
    files: outputFiles.map(({ path, text }) => [nameOf(path.replaceAll('\\', '/')), text]),
    entries,
    inputs: Object.keys(metafile.inputs),
  };
}

/**
 * Everything that the page loads at first, in one file, because each further one costs a round trip. Before it come
 * the requests of `start.ts`.
 */
function firstFiles(entryPoint) {
  const start = new Set();
  const app = new Set();
  return {
    groups: [
      { name: 'start', test: id => start.has(id), priority: 1 },
      { name: 'app', test: id => app.has(id) },
    ],
    plugin: {
      name: 'first files',
      load: id => shorten(id) ?? null,
      transform(code, id) {
        return contracts.test(id) ? withoutTexts(code, this.parse(code, { lang: 'ts' })) : null;
      },
      buildEnd() {
        const walk = (id, ids) => {
          if (ids.has(id)) return;
          ids.add(id);
          for (const next of this.getModuleInfo(id)?.importedIds ?? []) walk(next, ids);
        };
        walk(join(dirname(entryPoint), 'start.ts'), start);
        walk(entryPoint, app);
      },
    },
  };
}

async function buildPage(entryPoint, root) {
  // The module name is a variable, so that bundlers of this program do not include it: it is needed at build time only.
  const bundler = 'rolldown';
  const { rolldown } = await import(bundler);
  const { groups, plugin } = firstFiles(entryPoint);
  const build = await rolldown({
    input: { [withoutEnding(entryPoint)]: entryPoint },
    cwd: root,
    platform: 'browser',
    plugins: [plugin],
    transform: {
      define: { 'process.env.NODE_ENV': '"production"' },
      jsx: { runtime: 'automatic' },
      target: scriptOptions.target,
    },
  });
  const { output } = await build.generate({
    format: 'es',
    minify: true,
    comments: false,
    hashCharacters: 'hex',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    postBanner: withoutJit,
    codeSplitting: { groups },
  });
  await build.close();
  const byName = new Map(output.map(chunk => [chunk.fileName, chunk]));
  const listEarly = (name, found = new Set()) => {
    for (const next of byName.get(name)?.imports ?? []) if (!found.has(next)) listEarly(next, found.add(next));
    return [...found];
  };
  const { fileName: file } = output.find(({ isEntry }) => isEntry);
  return {
    files: output.map(({ fileName, code }) => [fileName, code]),
    entries: [[withoutEnding(entryPoint), { file, early: listEarly(file) }]],
    inputs: output.flatMap(({ moduleIds }) => moduleIds).filter(id => id.startsWith(root)),
  };
}

/**
 * The app of a page, which is the first entry, and its workers: its files by name, and which of them each entry begins
 * with. `inputs` are relative to the root.
 */
export async function buildAppFrom([page, ...workers], root) {
  const parts = await Promise.all([buildPage(page, root), buildWorkers(workers, root)]);
  const app = {
    files: Object.fromEntries(parts.flatMap(({ files }) => files)),
    entries: Object.fromEntries(parts.flatMap(({ entries }) => entries)),
  };
  const inputs = parts.flatMap(part => part.inputs).map(path => (isAbsolute(path) ? relative(root, path) : path));
  return { app, inputs: inputs.map(path => path.replaceAll('\\', '/')) };
}

/** Written as `buildApp(new URL('…', import.meta.url), new URL('…', import.meta.url))`. */
export async function buildApp(...entries) {
  const files = entries.map(entry => fileURLToPath(entry));
  const { keepBuilt } = await import('./built-pages.mjs');
  return keepBuilt(files, async () => {
    const { app, inputs } = await buildAppFrom(files, toRepository());
    return { built: app, inputs };
  });
}
