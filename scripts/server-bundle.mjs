// The bundles of server, verifier and CLI, and of the processes that tests start: all modules that a start loads, joined into
// a few files, because opening a thousand takes most of a start (docs/decisions/0043-the-server-starts-from-a-bundle.md).
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import {
  bundleFolder,
  childrenFolder,
  findBundle,
  readRecord,
  root,
  stampOf,
} from '../shared/src/node/launch/bundle.mjs';
import { putScripts, withoutDevtools } from './built-scripts.mjs';

/** Packages that every start needs. Clients of optional services stay outside, to be loaded by those who use them. */
const inside = ['@fastify/formbody', 'fastify', 'jose', 'kysely', 'pino', 'prom-client', 'zod'];
/** Reachable from those, but never loaded: the contracts do that work. */
const unused = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];

/**
 * The programs that start from each bundle. All are split, so that a start reads only what it needs: of 3 MiB of the
 * server, of 1.3 MiB of the verifier what verifies, and of the CLI one command.
 */
export const bundles = {
  programs: {
    folder: bundleFolder,
    entries: { run: 'server/src/commands/run.ts', verify: 'verifier/src/main.ts', cli: 'cli/src/main.ts' },
  },
  /** Those of test/support/children that tests start by the hundred. */
  testChildren: {
    folder: childrenFolder,
    entries: Object.fromEntries(
      ['ledger', 'outbox', 'rotate', 'saga', 'server', 'worker'].map(name => [
        name,
        `test/support/children/${name}.ts`,
      ]),
    ),
  },
};

const readJson = path => JSON.parse(readFileSync(path, 'utf8'));

export const isBundled = ({ folder, entries }) => Object.keys(entries).every(entry => findBundle(entry, folder));

/** Code that looks for files beside itself goes on finding them beside its source; scripts of pages are put in. */
const keepFileUrls = (folder, clients) => ({
  name: 'keep file URLs',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const { text, inputs } = await putScripts(path);
      if (inputs.length > 0) clients.set(relative(root, path).replaceAll('\\', '/'), inputs);
      if (inputs.length === 0 && !text.includes('import.meta.')) return undefined;
      const relativePath = JSON.stringify(relative(folder, path).replaceAll('\\', '/'));
      const url = `new URL(${relativePath}, import.meta.url)`;
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
      kind === 'import-statement'
        ? { path: path.replaceAll(/\W/g, '_'), namespace: 'builtin', pluginData: path }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ pluginData }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(pluginData)});`,
    }));
  },
};

/**
 * The exports of Node's own modules are used where they are. esbuild copies them one by one in each module that imports
 * them, and the copy loads what node:util, for one, would only load when it is used.
 */
const withoutCopies = text =>
  text.replaceAll(/\b(import_node_\w+) = __toESM\((require_node_\w+)\(\)(?:, 1)?\)/g, (copy, name, original) =>
    text.includes(`${name}.default`) ? copy : `${name} = ${original}()`,
  );

/** A package that is only loaded when it is needed keeps its named exports, which a chunk of CommonJS would not have. */
const latePackages = {
  name: 'late packages',
  setup(build) {
    build.onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
      kind === 'dynamic-import' && !/^(node:|@recordproof\/)/.test(path) ? { path, external: true } : undefined,
    );
  },
};

/** Never a package of this repository: loaded from its sources beside the bundle, each of its classes would exist twice. */
const listExternals = () => {
  const { dependencies } = readJson(join(root, 'server', 'package.json'));
  return Object.keys(dependencies).filter(name => !name.startsWith('@recordproof/') && !inside.includes(name));
};

const bundleOptions = (folder, name, entry, clients) => ({
  absWorkingDir: root,
  entryPoints: { [name]: entry },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  write: false,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node26',
  metafile: true,
  logLevel: 'silent',
  external: [...listExternals(), ...unused, 'esbuild'],
  banner: {
    js: "import { createRequire as openRequire } from 'node:module';\nconst require = openRequire(import.meta.url);",
  },
  // The production build of React.
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [withoutDevtools, latePackages, askForBuiltins, keepFileUrls(folder, clients)],
});

/** The sources that the entry may load, however late, and those of the pages that it serves. */
function listSources(inputs, clients, entry) {
  const found = new Set([entry]);
  for (const path of found) {
    for (const { path: next, external } of inputs[path]?.imports ?? []) if (!external) found.add(next);
    for (const next of clients.get(path) ?? []) found.add(next);
  }
  return [...found].filter(name => !name.includes('node_modules/') && !name.startsWith('builtin:'));
}

function listStamps(inputs, clients, entry) {
  // shared/package.json maps #primitives.
  const scripts = ['scripts/server-bundle.mjs', 'scripts/built-scripts.mjs'];
  const always = ['node_modules/.package-lock.json', 'shared/package.json', ...scripts];
  const names = [...listSources(inputs, clients, entry), ...always];
  return Object.fromEntries(names.map(name => [name, stampOf(name)]));
}

/** Makes the bundle anew. The files of the one before stay until the next, for a program that still runs from them. */
export async function makeBundle({ folder, entries }) {
  const { build } = await import('esbuild');
  /** Source → what the scripts in it were made of. */
  const clients = new Map();
  const builds = Object.entries(entries).map(([name, entry]) => build(bundleOptions(folder, name, entry, clients)));
  const results = await Promise.all(builds);
  const outputFiles = results.flatMap(result => result.outputFiles);
  const inputs = Object.assign({}, ...results.map(({ metafile }) => metafile.inputs));
  const files = outputFiles.map(({ path }) => basename(path));
  const kept = [...files, ...(readRecord(folder, 'files') ?? []), 'files.json'];
  mkdirSync(folder, { recursive: true });
  // The records with them: without its record a program starts from its sources.
  for (const name of readdirSync(folder)) if (!kept.includes(name)) rmSync(join(folder, name));
  for (const { path, text } of outputFiles) put(path, withoutCopies(text));
  const putRecord = (name, content) => put(join(folder, `${name}.json`), JSON.stringify(content));
  putRecord('files', files);
  for (const [name, entry] of Object.entries(entries)) putRecord(name, listStamps(inputs, clients, entry));
}

/** A program that starts meanwhile finds the whole file, old or new. */
function put(path, content) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}
