// Documents are numbered once, and every cited one exists.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter(path => /\.(ts|tsx|mjs|sol|py|md)$/.test(path) && existsSync(join(root, path)));
const documents = files.filter(path => path.endsWith('.md'));
const fileNames = new Set(documents.map(path => basename(path)));

/** Entries of a proof archive, and files that an example writes. */
const elsewhere = ['README.verify.md', 'news.md'];

test('every decision has a unique number in its name and in its title', () => {
  const names = readdirSync(join(root, 'docs/decisions')).filter(name => name !== 'README.md');
  expect(names.length).toBeGreaterThan(10);
  for (const name of names)
    expect(read(`docs/decisions/${name}`)).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. `));
  expect(new Set(names.map(name => name.slice(0, 4))).size).toBe(names.length);
});

test('the index of decisions lists each decision once with its title', () => {
  const index = read('docs/decisions/README.md');
  const listed = [...index.matchAll(/^- \[(\d{4})\]\((\S+)\) (.+)$/gm)];
  const names = readdirSync(join(root, 'docs/decisions')).filter(name => name !== 'README.md');
  expect(listed.map(([, , name]) => name).sort()).toEqual(names.sort());
  for (const [, number, name, title] of listed)
    expect(read(`docs/decisions/${name}`)).toContain(`# ${Number(number)}. ${title}\n`);
});

test('every cited document is in the repository', () => {
  const missing = files.flatMap(path =>
    [...read(path).matchAll(/(?<![\w*{}./-])(?:docs\/[\w-]+\/)?[A-Za-z][\w-]*(?:\.[\w-]+)*\.md\b/g)]
      .map(([cited]) => cited)
      .filter(cited => !elsewhere.includes(cited))
      .filter(cited => (cited.includes('/') ? !existsSync(join(root, cited)) : !fileNames.has(cited)))
      .map(cited => `${path}: ${cited}`),
  );
  expect(missing).toEqual([]);
});

test('decisions are cited by their complete file name', () => {
  const short = files.filter(path => /docs\/decisions\/\d{4}(?!-)/.test(read(path)));
  expect(short).toEqual([]);
});

test('no comment cites internal rulings', () => {
  const leaning = files.filter(path => /\b[Rr]ulings\b/.test(read(path)) && !path.startsWith('test/structure/'));
  expect(leaning).toEqual([]);
});

test('links between documents have existing targets', () => {
  const dead = documents.flatMap(path =>
    [...read(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .filter(([, target = '']) => !existsSync(join(root, dirname(path), target)))
      .map(([, target]) => `${path}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test('every test named in a document is in the repository', () => {
  const named = documents.flatMap(path =>
    [...read(path).matchAll(/`((?:test|shared|server|cli|desktop|verifier)\/[\w./-]+\.test\.ts)`/g)].map(
      ([, cited = '']) => `${path}: ${cited}`,
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(line => !existsSync(join(root, line.slice(line.indexOf(': ') + 2))))).toEqual([]);
});
