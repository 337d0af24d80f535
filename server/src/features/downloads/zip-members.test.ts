// Names of ZIP members: numbering of equal names, in linear time.
import { expect, test } from 'vitest';
import type { FileRow } from '../files/index.ts';
import { toZipMembers } from './zip-members.ts';

const namesOf = (files: readonly { readonly path: string | null; readonly file_name: string }[]) => {
  const rows = files.map(file => ({ ...file, proof_status: 'NONE' }) as FileRow);
  const open = () => Promise.reject(new Error('only names are read'));
  return toZipMembers({ hooks: { of: () => [] } }, { files: rows, toPath: file => file.path, open, proofs: false }).map(
    ({ name }) => name,
  );
};

test('files of one name are numbered, past names that are taken', () => {
  const names = ['a.txt', 'A.txt', 'a (2).txt', 'a.txt', 'd'].map(file_name => ({ path: null, file_name }));
  expect(namesOf([...names, { path: 'd', file_name: 'a.txt' }])).toEqual([
    'a.txt',
    'A (2).txt',
    'a (2) (2).txt',
    'a (3).txt',
    'd (2)',
    'd/a.txt',
  ]);
});

test('a folder of many files of one name is named in linear time', () => {
  const files = Array.from({ length: 100_000 }, () => ({ path: 'd', file_name: 'scan.pdf' }));
  const names = namesOf(files);
  expect(new Set(names).size).toBe(files.length);
  expect(names.at(-1)).toBe('d/scan (100000).pdf');
});
