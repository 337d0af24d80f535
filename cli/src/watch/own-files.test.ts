// Exclusion of the program's own files from a watched folder: archives, vouchers, mirror, sessions and logs.
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { toRealPath } from '@recordproof/shared/node/real-path.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stateFolder } from '../platform/folders.ts';
import { openOwnFiles } from './own-files.ts';

let top: string;
let folder: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'recordproof-own-')));
  folder = join(top, 'docs');
  await mkdir(folder);
  await symlink('docs', join(top, 'link'));
});
afterEach(() => rm(top, { recursive: true, force: true }));

test('archives beside the files are ignored, however the folder is named', () => {
  for (const proofs of [undefined, folder, join(top, 'link')]) {
    const isOwn = openOwnFiles(folder, proofs);
    expect(isOwn('sub/a.txt.proof.zip')).toBe(true);
    expect(isOwn('sub/a.txt.proof.zip.0123abcd.part')).toBe(true);
    expect(isOwn('sub/a.txt')).toBe(false);
  }
});

test('vouchers beside an archive are ignored, and other files are not', async () => {
  await writeFile(join(folder, 'a.txt.proof.zip'), '');
  await writeFile(join(folder, 'a.txt.v1.proof.zip'), '');
  const isOwn = openOwnFiles(folder, undefined);
  for (const end of ['tlog-proof', 'tsr', 'ots', 'ots.0123abcd.part', 'evidence.zip'])
    expect([end, isOwn(`a.txt.${end}`), isOwn(`a.txt.v1.${end}`)]).toEqual([end, true, true]);
  expect(isOwn('b.txt.evidence.zip')).toBe(true);
  expect(isOwn('b.txt.ots')).toBe(false);
});

test('a mirror within the watched folder is ignored, also through a link and before it exists', () => {
  for (const proofs of [join(folder, 'proofs e\u0301'), join(top, 'link', 'proofs \u00e9')]) {
    const isOwn = openOwnFiles(folder, proofs);
    expect(isOwn('proofs \u00e9/a.txt.proof.zip')).toBe(true);
    expect(isOwn('a.txt.proof.zip')).toBe(false);
  }
  expect(toRealPath(join(top, 'link', 'not', 'there'))).toBe(join(folder, 'not', 'there'));
});

test('a mirror elsewhere leaves the whole folder watched', () => {
  for (const proofs of [top, join(top, 'proofs')]) expect(openOwnFiles(folder, proofs)('a.proof.zip')).toBe(false);
});

test('sessions and logs of this program are never watched', async () => {
  const home = await realpath(homedir());
  const state = toRealPath(stateFolder()).slice(home.length + 1);
  const isOwn = openOwnFiles(home, undefined);
  expect(isOwn(`${state}/watch/docs.ndjson`)).toBe(true);
  expect(isOwn('letter.txt')).toBe(false);
});
