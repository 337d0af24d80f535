// Lists of folders, read and made by us and by a Python program that shares no code with us: the same code for every vector,
// the same bytes for every tree, the same verdict on every file.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FolderListError, readFolderList, writeFolderList } from '@recordproof/shared/evidence/folder-list.ts';
import { hashFolder } from '@recordproof/shared/node/hash-folder.ts';
import { compareFolder } from '@recordproof/verifier/folder/compare-folder.ts';
import { afterAll, expect, test } from 'vitest';
import { testWith } from '../support/programs.ts';
import { readText } from '../support/spec-examples.ts';

const script = fileURLToPath(new URL('check_folder.py', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'folder-lists-'));
afterAll(() => rmSync(root, { recursive: true }));

type Vector = { name: string; code: string; list?: string; base64?: string };
const vectors: Vector[] = JSON.parse(readFileSync(new URL('folder-lists.json', import.meta.url), 'utf8'));
const toBytes = ({ list, base64 }: Vector): Buffer =>
  base64 === undefined ? Buffer.from(list ?? '') : Buffer.from(base64, 'base64');

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function judge(bytes: Uint8Array, pieceSize: number): Promise<string> {
  try {
    await Array.fromAsync(readFolderList(inPieces(bytes, pieceSize)));
    return 'OK';
  } catch (error) {
    if (error instanceof FolderListError) return error.code;
    throw error;
  }
}

test('every vector returns its code, however the input is split', async () => {
  for (const vector of vectors) {
    for (const size of [1, 7, 2 ** 20])
      expect([vector.name, await judge(toBytes(vector), size)]).toEqual([vector.name, vector.code]);
  }
});

testWith('python3')('the Python check returns the same codes', () => {
  const input = vectors.map(vector => `${JSON.stringify({ base64: toBytes(vector).toString('base64') })}\n`).join('');
  const { stdout } = spawnSync('python3', [script, '--each'], { input, encoding: 'utf8' });
  expect(stdout.trimEnd().split('\n')).toEqual(vectors.map(({ code }) => code));
});

test('a list is read and written back unchanged', async () => {
  for (const vector of vectors.filter(({ code }) => code === 'OK')) {
    const entries = readFolderList(inPieces(toBytes(vector), 100));
    expect(Buffer.concat(await Array.fromAsync(writeFolderList(entries)))).toEqual(toBytes(vector));
  }
});

function plant(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(root, name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

async function listOf(folder: string): Promise<string> {
  const entries = (async function* () {
    for await (const some of hashFolder(folder)) yield some.flatMap(file => (file.kind === 'hashed' ? file : []));
  })();
  return Buffer.concat(await Array.fromAsync(writeFolderList(entries))).toString();
}

const python = (...args: string[]): string => execFileSync('python3', [script, ...args], { encoding: 'utf8' });

test('folder-seal.md: the list of the example', async () => {
  const folder = plant('example', { 'a.txt': 'hello', '.keep': '', 'data/ü.csv': 'x' });
  expect(`${await listOf(folder)}\n`).toBe(readText('folder-seal.md', 'folder-list'));
});

const odd = [
  'a',
  'a.txt',
  'a b/c',
  'a b/c d/e',
  'b/c',
  'b.c',
  'b0',
  '.git/HEAD',
  'e\u0301',
  '\ufffd',
  '\u{1d11e}',
  'Z"\\',
];

testWith('python3')(
  'a tree with unusual names has the same list and verdicts in TypeScript and in Python',
  async () => {
    const folder = plant('odd', Object.fromEntries(odd.map((path, at) => [path, 'x'.repeat(at)])));
    symlinkSync('a', join(folder, 'link'));
    const list = await listOf(folder);
    expect(list).toBe(python('make', folder));
    const listPath = join(root, 'odd.folder.json');
    writeFileSync(listPath, list);

    writeFileSync(join(folder, 'a.txt'), 'y');
    writeFileSync(join(folder, 'a.txt.bak'), 'x');
    rmSync(join(folder, 'b'), { recursive: true });
    const told: string[] = [];
    await compareFolder(readFolderList(inPieces(Buffer.from(list), 50)), hashFolder(folder), ({ path, verdict }) =>
      told.push(`${verdict} ${path}\n`),
    );
    expect(told.join('')).toBe(python('compare', listPath, folder));
    expect(told.filter(line => !line.startsWith('same'))).toEqual([
      'changed a.txt\n',
      'added a.txt.bak\n',
      'missing b/c\n',
    ]);
  },
);
