import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listMissing } from '../../scripts/complete-lockfile.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Import = { from: string; to: string; isLate: boolean };

const sources = ['shared', 'server', 'cli', 'verifier', 'desktop'].flatMap(workspace =>
  readdirSync(join(root, workspace), { recursive: true, encoding: 'utf8' })
    .map(name => join(workspace, name))
    .filter(name => /^\w+\/src\/.*\.tsx?$/.test(name)),
);

/** What a file imports, as paths from the top where it is ours, as written where it is not. */
function listImports(path: string): Import[] {
  const text = readFileSync(join(root, path), 'utf8');
  const written = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:[^'";]*?from\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g,
    ),
  ];
  return written.map(([, early, late]) => ({
    from: path,
    to: toOwnPath(path, early ?? late ?? ''),
    isLate: early === undefined,
  }));
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

test('there is something to look at', () => {
  expect(imports.length).toBeGreaterThan(200);
});

test('shared runs anywhere: nothing of ours, nothing of Node outside shared/src/node', () => {
  const foreign = broken(({ from, to }) => within('shared')(from) && /^(server|cli|verifier|desktop)\//.test(to));
  const node = broken(
    ({ from, to }) =>
      within('shared')(from) &&
      !within('shared/src/node')(from) &&
      (to.startsWith('node:') || within('shared/src/node')(to)),
  );
  expect([...foreign, ...node]).toEqual([]);
});

test('the verifier knows only shared, and the server knows neither it nor the programs', () => {
  expect(broken(({ from, to }) => within('verifier')(from) && /^(server|cli|desktop)\//.test(to))).toEqual([]);
  expect(broken(({ from, to }) => within('server')(from) && /^(verifier|cli|desktop)\//.test(to))).toEqual([]);
  expect(broken(({ from, to }) => within('cli')(from) && /^(server|desktop)\//.test(to))).toEqual([]);
});

test('the checks of the verifier use no network and no database', () => {
  const forbidden = /^(node:(net|http|https|http2|tls|dns|dgram)(\/|$)|undici|pg|better-sqlite3|verifier\/src\/online)/;
  expect(broken(({ from, to }) => within('verifier/src/verify')(from) && forbidden.test(to))).toEqual([]);
});

test('the platform knows no feature', () => {
  expect(
    broken(({ from, to }) => within('server/src/platform')(from) && /^server\/src\/(features|commands)/.test(to)),
  ).toEqual([]);
});

const featureOf = (path: string) => /^server\/src\/features\/([^/]+)\//.exec(path)?.[1];

test('features meet only through each other’s index', () => {
  const past = broken(({ from, to }) => {
    const [mine, theirs] = [featureOf(from), featureOf(to)];
    return mine !== undefined && theirs !== undefined && mine !== theirs && !to.endsWith('/index.ts');
  });
  expect(past).toEqual([]);
});

/** From the ground up; what stands on one line may not call each other except downwards in the list. */
const floors = [
  ['audit', 'accounts', 'auth'],
  ['stored-objects', 'envelopes', 'crypto-policy', 'chain', 'events'],
  ['manifests', 'files', 'versions', 'copies', 'friends', 'images'],
  ['uploads', 'attestation', 'shares', 'friend-shares', 'tickets', 'messages', 'announcements'],
  ['site', 'monitor', 'admin', 'backfill', 'integrity', 'key-rotation', 'proofs'],
];
const floorOf = (feature: string) => floors.findIndex(floor => floor.includes(feature));

test('every feature has its floor, and none calls upwards', () => {
  const features = new Set(sources.map(featureOf).filter(feature => feature !== undefined));
  expect([...features].filter(feature => floorOf(feature) < 0)).toEqual([]);
  const upwards = broken(({ from, to }) => {
    const [mine, theirs] = [featureOf(from), featureOf(to)];
    return mine !== undefined && theirs !== undefined && floorOf(theirs) > floorOf(mine);
  });
  expect(upwards).toEqual([]);
});

test('nothing imports in a circle', () => {
  const next = new Map<string, string[]>();
  // What is imported when it is called cannot meet a half-made module.
  for (const { from, to } of imports.filter(entry => !entry.isLate)) next.set(from, [...(next.get(from) ?? []), to]);
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

test('only the configuration sees the environment of the server', () => {
  const seers = sources.filter(
    path =>
      within('server/src')(path) && !isTest(path) && /\bprocess\.env\b/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(seers).toEqual(['server/src/config.ts']);
});

test('only the clock knows the time', () => {
  const readers = sources.filter(
    path =>
      within('server/src/features')(path) &&
      !isTest(path) &&
      /\bDate\.now\(\)|new Date\(\)/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(readers).toEqual([]);
});

test('the lockfile names no registry and leaves no platform out (scripts/complete-lockfile.mjs)', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  expect(text).not.toMatch(/"resolved": "https?:/);
  expect(listMissing(JSON.parse(text) as Parameters<typeof listMissing>[0])).toEqual([]);
});
