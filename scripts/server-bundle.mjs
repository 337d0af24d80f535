// The server and what every start of it loads, joined into a few files: opening a thousand takes longer than all else
// together (docs/decisions/0040). Only a copy for speed: a bundle that is not of these very sources is not used.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'node_modules', '.recordproof', 'server');
const recordFile = join(folder, 'bundle.json');

/** Where Node keeps compiled code between starts: beside what it was compiled from, and nobody else's to write. */
export const compileCache = join(folder, '..', 'compiled');

/** What every start needs. Clients of optional services stay outside, to be loaded by those who use them. */
const inside = ['@fastify/formbody', '@recordproof/shared', 'fastify', 'jose', 'kysely', 'pino', 'prom-client', 'zod'];
/** Reachable from those, but never loaded: the contracts do that work. */
const unused = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];

const readJson = path => JSON.parse(readFileSync(path, 'utf8'));

function stampOf(name) {
  const { mtimeMs, size } = statSync(join(root, name), { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size}`;
}

/** What to import for the sources as they are now; undefined when there is no bundle of them. */
export function findServerBundle() {
  const record = readRecord();
  const isCurrent = record && Object.entries(record.inputs).every(([name, stamp]) => stampOf(name) === stamp);
  return isCurrent ? pathToFileURL(join(folder, 'run.mjs')) : undefined;
}

const readRecord = () => (existsSync(recordFile) ? readJson(recordFile) : undefined);

/** Code that looks for files beside itself goes on finding them beside its source. */
const keepPlaces = {
  name: 'keep places',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
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
};

const listDependencies = () => Object.keys(readJson(join(root, 'server', 'package.json')).dependencies);

const bundleOptions = () => ({
  absWorkingDir: root,
  entryPoints: ['server/src/commands/run.ts'],
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
  external: [...listDependencies().filter(name => !inside.includes(name)), ...unused],
  banner: {
    js: "import { createRequire as openRequire } from 'node:module';\nconst require = openRequire(import.meta.url);",
  },
  plugins: [keepPlaces],
});

/** Makes the bundle anew. The files of the one before stay until the next, for a server that still runs from them. */
export async function makeServerBundle() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build(bundleOptions());
  const own = Object.keys(metafile.inputs).filter(name => !name.includes('node_modules/'));
  const inputs = [...own, 'node_modules/.package-lock.json', 'scripts/server-bundle.mjs'];
  const files = outputFiles.map(({ path }) => basename(path));
  const record = { inputs: Object.fromEntries(inputs.map(name => [name, stampOf(name)])), files };
  const kept = [...files, ...(readRecord()?.files ?? []), basename(recordFile)];
  mkdirSync(folder, { recursive: true });
  rmSync(recordFile, { force: true });
  for (const name of readdirSync(folder)) if (!kept.includes(name)) rmSync(join(folder, name));
  for (const { path, contents } of outputFiles) put(path, contents);
  put(recordFile, JSON.stringify(record));
}

/** A server that starts meanwhile finds the whole file, old or new. */
function put(path, content) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}
