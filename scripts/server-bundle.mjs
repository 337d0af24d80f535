// The bundles of server and verifier: all modules that a start loads, joined into a few files, because opening a thousand
// takes most of a start (docs/decisions/0043-the-server-starts-from-a-bundle.md).
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import {
  findBundle,
  bundleFolder as folder,
  readRecord,
  recordFile,
  root,
  stampOf,
} from '../shared/src/node/launch/bundle.mjs';
import { putScripts } from './built-scripts.mjs';

/** What every start needs. Clients of optional services stay outside, to be loaded by those who use them. */
const inside = ['@fastify/formbody', '@recordproof/shared', 'fastify', 'jose', 'kysely', 'pino', 'prom-client', 'zod'];
/** Reachable from those, but never loaded: the contracts do that work. */
const unused = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];

/**
 * The programs that start from here, by the name of their bundle. The server is split, so that a start reads only what it
 * needs of 3 MiB. The verifier is one file: a check is over in the time that looking up fifty files takes.
 */
const entries = { run: 'server/src/commands/run.ts', verify: 'verifier/src/main.ts' };

const readJson = path => JSON.parse(readFileSync(path, 'utf8'));

export const isBundled = () => Object.keys(entries).every(findBundle);

/** Code that looks for files beside itself goes on finding them beside its source; scripts of pages are put in. */
const keepPlaces = clients => ({
  name: 'keep places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const { text, inputs } = await putScripts(path);
      if (inputs.length > 0) clients.set(relative(root, path).replaceAll('\\', '/'), inputs);
      if (inputs.length === 0 && !text.includes('import.meta.')) return undefined;
      const place = JSON.stringify(relative(folder, path).replaceAll('\\', '/'));
      const url = `new URL(${place}, import.meta.url)`;
      const contents = text
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.dirname', `process.getBuiltinModule('node:url').fileURLToPath(new URL('.', ${url}))`)
        .replaceAll('import.meta.filename', `process.getBuiltinModule('node:url').fileURLToPath(${url})`);
      return { contents, loader: 'ts' };
    });
    // Messages in fifty languages, of which the server speaks one.
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
});

/**
 * Node's own modules are asked for, not imported: an import reads every export of one at once, and with those of node:http
 * comes the whole of fetch and WebSocket, 50 ms and some MiB before anybody has called.
 */
const askForBuiltins = {
  name: 'ask for builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

const listDependencies = () => Object.keys(readJson(join(root, 'server', 'package.json')).dependencies);

const bundleOptions = (name, clients) => ({
  absWorkingDir: root,
  entryPoints: { [name]: entries[name] },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  write: false,
  bundle: true,
  splitting: name !== 'verify',
  platform: 'node',
  format: 'esm',
  target: 'node26',
  metafile: true,
  logLevel: 'silent',
  external: [...listDependencies().filter(name => !inside.includes(name)), ...unused, 'esbuild'],
  banner: {
    js: "import { createRequire as openRequire } from 'node:module';\nconst require = openRequire(import.meta.url);",
  },
  plugins: [askForBuiltins, keepPlaces(clients)],
});

/** The sources that the entry may load, however late, and those of the pages that it serves. */
function listSources(inputs, clients, entry) {
  const found = new Set([entry]);
  for (const path of found) {
    for (const { path: next, external } of inputs[path]?.imports ?? []) if (!external) found.add(next);
    for (const next of clients.get(path) ?? []) found.add(next);
  }
  return [...found].filter(name => !name.includes('node_modules/'));
}

function toRecord(inputs, clients, files) {
  const always = ['node_modules/.package-lock.json', 'scripts/server-bundle.mjs', 'scripts/built-scripts.mjs'];
  const lists = Object.entries(entries).map(([name, entry]) => [
    name,
    [...listSources(inputs, clients, entry), ...always],
  ]);
  const stamps = lists.flatMap(([, names]) => names.map(name => [name, stampOf(name)]));
  return { inputsOf: Object.fromEntries(lists), stamps: Object.fromEntries(stamps), files };
}

/** Makes the bundle anew. The files of the one before stay until the next, for a program that still runs from them. */
export async function makeBundle() {
  const { build } = await import('esbuild');
  /** Source → what the scripts in it were made of. */
  const clients = new Map();
  const results = await Promise.all(Object.keys(entries).map(name => build(bundleOptions(name, clients))));
  const outputFiles = results.flatMap(result => result.outputFiles);
  const inputs = Object.assign({}, ...results.map(({ metafile }) => metafile.inputs));
  const files = outputFiles.map(({ path }) => basename(path));
  const kept = [...files, ...(readRecord()?.files ?? []), basename(recordFile)];
  mkdirSync(folder, { recursive: true });
  rmSync(recordFile, { force: true });
  for (const name of readdirSync(folder)) if (!kept.includes(name)) rmSync(join(folder, name));
  for (const { path, contents } of outputFiles) put(path, contents);
  put(recordFile, JSON.stringify(toRecord(inputs, clients, files)));
}

/** A program that starts meanwhile finds the whole file, old or new. */
function put(path, content) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}
