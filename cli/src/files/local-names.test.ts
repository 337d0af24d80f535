// Local names for downloaded files: unsafe characters, collisions, device names of Windows.
import { expect, test } from 'vitest';
import { nameEach, toLocalName } from './local-names.ts';

test('a valid name stays unchanged', () => {
  for (const name of ['report.pdf', 'a b (1).txt', '年度報告.pdf', 'x'.repeat(255)])
    expect(toLocalName(name)).toBe(name);
});

test('names are changed so that none is hidden, leaves the folder, or moves the cursor', () => {
  expect(['.bashrc', '..', '.', '../x', 'a/b', 'a\\b', '\u001b[2J.txt', ''].map(name => toLocalName(name))).toEqual([
    '_.bashrc',
    '_..',
    '_.',
    '_.._x',
    'a_b',
    'a_b',
    '_[2J.txt',
    '_',
  ]);
});

test('names are changed so that none is reversed on screen or read as an option', () => {
  expect(['photo\u202egpj.exe', '-rf', '--force', '\u2067a\u2069.txt'].map(name => toLocalName(name))).toEqual([
    'photo_gpj.exe',
    '_rf',
    '_-force',
    '_a_.txt',
  ]);
});

test.each(['字', 'é', '🙂', 'x'])(
  'a name of many %s is cut to the limit of the disk, between characters, with its extension',
  letter => {
    const local = toLocalName(`${letter.repeat(255)}.pdf`);
    expect(Buffer.byteLength(local)).toBeLessThanOrEqual(255);
    expect(Buffer.byteLength(local)).toBeGreaterThan(250);
    expect(local).toMatch(new RegExp(`^(${letter})+\\.pdf$`, 'u'));
    expect(toLocalName(local)).toBe(local);
  },
);

test('files with one name get distinct names, also when they only collide locally', () => {
  const long = '字'.repeat(200);
  const files = ['a.txt', 'A.txt', '.x', '_.x', `${long}1.pdf`, `${long}2.pdf`].map(fileName => ({ fileName }));
  const names = nameEach(files).map(({ name }) => name);
  expect(names.slice(0, 4)).toEqual(['a.txt', 'A (2).txt', '_.x', '_ (2).x']);
  expect(new Set(names).size).toBe(6);
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  const alikeOnMacs = ['\u00e9.txt', 'e\u0301.txt'].map(fileName => ({ fileName }));
  expect(nameEach(alikeOnMacs).map(({ name }) => name)).toEqual(['\u00e9.txt', 'e\u0301 (2).txt']);
});

test('on Windows no name is that of a device', () => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  try {
    const names = ['con', 'NUL.txt', 'com1.pdf', 'COM².pdf', 'aux .c', 'CONOUT$', 'console.txt', 'com.pdf', 'a:b?.txt'];
    expect(names.map(name => toLocalName(name))).toEqual([
      ...['_con', '_NUL.txt', '_com1.pdf', '_COM².pdf', '_aux .c', '_CONOUT$', 'console.txt', 'com.pdf', 'a_b_.txt'],
    ]);
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});
