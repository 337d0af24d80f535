// Import rules between programs, features and layers; access to environment and clock; import cycles.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listMissing } from '../../scripts/complete-lockfile.mjs';
import { features } from '../../server/src/compose/features.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Import = { from: string; to: string };

const sources = ['shared', 'server', 'cli', 'verifier', 'desktop'].flatMap(workspace =>
  readdirSync(join(root, workspace), { recursive: true, encoding: 'utf8' })
    .map(name => join(workspace, name))
    .filter(name => /^\w+\/src\/.*\.tsx?$/.test(name)),
);

/** The imports of a file: our own as paths from the root, others as written. */
function listImports(path: string): Import[] {
  const text = readFileSync(join(root, path), 'utf8');
  const written = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:[^'";]*?from\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g,
    ),
  ];
  return written.map(([, early, late]) => ({ from: path, to: toOwnPath(path, early ?? late ?? '') }));
}

function toOwnPath(from: string, to: string): string {
  if (to.startsWith('.')) return relative(root, join(root, from, '..', to));
  const own = /^@recordproof\/(\w+)\/(.+)$/.exec(to);
  return own ? `${own[1]}/src/${own[2]}` : to;
}

const imports = sources.flatMap(listImports);
const isTest = (path: string) => /\.test\.tsx?$/.test(path);
const broken = (rule: (entry: Import) => boolean) =>
  imports
    .filter(entry => !isTest(entry.from))
    .filter(rule)
    .map(({ from, to }) => `${from} → ${to}`);
const within = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

test('the scan finds imports', () => {
  expect(imports.length).toBeGreaterThan(200);
});

test('shared runs anywhere: it imports no other program, and no Node module outside shared/src/node', () => {
  const foreign = broken(({ from, to }) => within('shared')(from) && /^(server|cli|verifier|desktop)\//.test(to));
  const node = broken(
    ({ from, to }) =>
      within('shared')(from) &&
      !within('shared/src/node')(from) &&
      (to.startsWith('node:') || within('shared/src/node')(to)),
  );
  expect([...foreign, ...node]).toEqual([]);
});

const isForeign = (from: string, to: string): boolean =>
  within('server/src/commands/selftest')(from) || within('server/src/features/site/client')(from)
    ? /^(cli|desktop)\//.test(to)
    : /^(verifier(?!\/src\/web\/page\/)|cli|desktop)\//.test(to);

test('verifier, server and command line import no other program except the permitted parts', () => {
  expect(broken(({ from, to }) => within('verifier')(from) && /^(server|cli|desktop)\//.test(to))).toEqual([]);
  expect(broken(({ from, to }) => within('server')(from) && isForeign(from, to))).toEqual([]);
  expect(broken(({ from, to }) => within('cli')(from) && /^(server|desktop)\//.test(to))).toEqual([]);
});

test('no program imports from scripts', () => {
  const starts = ['cli', 'verifier', 'server'].flatMap(workspace =>
    readdirSync(join(root, workspace, 'bin')).map(name => join(workspace, 'bin', name)),
  );
  const upwards = [...imports, ...starts.flatMap(listImports)].filter(
    ({ from, to }) => !isTest(from) && within('scripts')(to),
  );
  expect(upwards).toEqual([]);
});

test('only the shell of the app imports Electron, and its interface imports only the bridge', () => {
  const knowsElectron = (from: string) => /^desktop\/src\/(main\/(shell\/|main\.ts)|preload\/)/.test(from);
  expect(broken(({ from, to }) => to === 'electron' && !knowsElectron(from))).toEqual([]);
  const behind = /^desktop\/src\/(main|preload|transfers|ipc|bridge\/\w+\/)/;
  expect(broken(({ from, to }) => within('desktop/src/renderer')(from) && behind.test(to))).toEqual([]);
  const ofProgram = /^desktop\/src\/(main|transfers)\//;
  expect(broken(({ from, to }) => within('desktop/src/bridge')(from) && ofProgram.test(to))).toEqual([]);
});

test('the checks of the verifier import no network and no database', () => {
  const forbidden = /^(node:(net|http|https|http2|tls|dns|dgram)(\/|$)|undici|pg|better-sqlite3|verifier\/src\/online)/;
  expect(broken(({ from, to }) => within('verifier/src/verify')(from) && forbidden.test(to))).toEqual([]);
});

test('the platform imports no feature and no configuration', () => {
  expect(
    broken(
      ({ from, to }) =>
        within('server/src/platform')(from) && /^server\/src\/(features|commands|config|compose)\//.test(to),
    ),
  ).toEqual([]);
});

test('the platform of the command line imports no topic', () => {
  const isOutside = (to: string) => within('cli/src')(to) && !within('cli/src/platform')(to);
  expect(broken(({ from, to }) => within('cli/src/platform')(from) && isOutside(to))).toEqual([]);
});

test('help and completion of the server load no code of its commands', () => {
  const early = sources
    .filter(within('server/src/commands/declared'))
    .flatMap(path => [...readFileSync(join(root, path), 'utf8').matchAll(/ from '(\.\.\/[^']+)'/g)])
    .map(([, to]) => to);
  expect(early).toEqual(['../../config/flag-problem.ts']);
});

test('every command is in the list', () => {
  const list = readFileSync(join(root, 'cli/src/topics.ts'), 'utf8');
  const defined = sources
    .filter(path => /^cli\/src\/(?!platform\/)[^/]+\//.test(path) && !isTest(path))
    .flatMap(path => {
      const text = readFileSync(join(root, path), 'utf8');
      const exported = text.matchAll(/^export (?:default|const (\w+) = (?:command|changeOwn)\()/gm);
      const file = `import('./${path.slice('cli/src/'.length)}')`;
      return [...exported].map(([, name]) => (name ? `${file}).${name},` : file));
    });
  expect(defined.length).toBeGreaterThan(100);
  expect(defined.filter(entry => !list.includes(entry))).toEqual([]);
});

const featureOf = (path: string) => /^server\/src\/features\/([^/]+)\//.exec(path)?.[1];

test('features import each other only through their index', () => {
  const past = broken(({ from, to }) => {
    const [mine, theirs] = [featureOf(from), featureOf(to)];
    return mine !== undefined && theirs !== undefined && mine !== theirs && !to.endsWith('/index.ts');
  });
  expect(past).toEqual([]);
});

test('every feature is in the list, and imports none of a higher level', () => {
  const folders = new Set(sources.map(featureOf).filter(feature => feature !== undefined));
  const layers = new Map<string, number>(features.map(({ name, layer }) => [name, layer]));
  expect([...layers.keys()].sort()).toEqual([...folders].sort());
  const upwards = broken(({ from, to }) => {
    const [mine, theirs] = [layers.get(featureOf(from) ?? ''), layers.get(featureOf(to) ?? '')];
    return mine !== undefined && theirs !== undefined && theirs > mine;
  });
  expect(upwards).toEqual([]);
});

test('there are no import cycles', () => {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      circles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    state.set(path, 'open');
    for (const to of next.get(path) ?? []) visit(to, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of sources) visit(path, []);
  expect(circles).toEqual([]);
});

test('only the configuration reads the environment of the server', () => {
  const seers = sources.filter(
    path =>
      within('server/src')(path) && !isTest(path) && /\bprocess\.env\b/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(seers).toEqual(['server/src/config/config.ts']);
});

test('only the clock module reads the current time', () => {
  const readers = sources.filter(
    path =>
      within('server/src')(path) &&
      !isTest(path) &&
      /\bDate\.now\b|new Date\(\)/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(readers).toEqual(['server/src/platform/clock.ts']);
});

test('the lockfile contains no registry and lists every platform (scripts/complete-lockfile.mjs)', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  expect(text).not.toMatch(/"resolved": "https?:/);
  expect(listMissing(JSON.parse(text) as Parameters<typeof listMissing>[0])).toEqual([]);
});
