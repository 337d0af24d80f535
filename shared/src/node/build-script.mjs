// Makes one script for browsers out of a client's sources, in memory. Who bundles a program puts the result in place of
// the call (scripts/built-scripts.mjs): where the program runs then, there is neither esbuild nor a source.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** What pdf.js loads from an address of its own when it meets one of two kinds of pictures, in the bundle instead. */
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

/** All that a bundler has to know to do the same. */
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

/** Written as `buildScript(new URL('…', import.meta.url))`, by which bundlers find it. */
export async function buildScript(entry) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({ ...scriptOptions, entryPoints: [fileURLToPath(entry)] });
  return outputFiles[0].text;
}

/** Messages of the contracts in fifty languages, of which we speak one to programs. */
const onlyEnglish = {
  name: 'only English',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** The same for an app of many files, each named by what is in it: what is asked for later stands apart. */
export const appOptions = {
  ...scriptOptions,
  format: 'esm',
  splitting: true,
  jsx: 'automatic',
  outdir: '/',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  define: { 'process.env.NODE_ENV': '"production"' },
  metafile: true,
  // The contracts would try to make code from text, which the policy of the page forbids; they ask when they are loaded.
  banner: { js: 'globalThis.__zod_globalConfig??={jitless:true};' },
  plugins: [...scriptOptions.plugins, onlyEnglish],
};

/** What a page needs to know of a built app: its files, and which of them each entry begins with. */
export const toBuiltApp = ({ outputFiles, metafile }) => {
  const nameOf = path => path.slice(path.lastIndexOf('/') + 1);
  const outputs = Object.entries(metafile.outputs);
  const entries = outputs
    .filter(([, { entryPoint }]) => entryPoint !== undefined)
    .map(([path, { entryPoint, imports }]) => {
      const early = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
      const name = nameOf(entryPoint).replace(/\.\w+$/, '');
      return [name, { file: nameOf(path), early: early.map(one => nameOf(one.path)) }];
    });
  return {
    files: Object.fromEntries(outputFiles.map(({ path, text }) => [nameOf(path.replaceAll('\\', '/')), text])),
    entries: Object.fromEntries(entries),
  };
};

/** Written as `buildApp(new URL('…', import.meta.url), new URL('…', import.meta.url))`. */
export async function buildApp(...entries) {
  const { build } = await import('esbuild');
  return toBuiltApp(await build({ ...appOptions, entryPoints: entries.map(entry => fileURLToPath(entry)) }));
}
