// Journey of a rescue by docs/spec/stored-objects.md alone: the program printed there, which uses none of our code,
// reads the data folder of a real server.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProveWorld, type ProveWorld } from '../support/prove-world.ts';
import { readText } from '../support/spec-examples.ts';

let world: ProveWorld;
let copy: string;
const stored = new Map<string, { id: string; bytes: Buffer }>();

beforeAll(async () => {
  world = await openProveWorld();
  for (const [name, size, ...flags] of [
    ['sealed.bin', 3_000_000, '--proxied'],
    ['direct.bin', 2500],
    ['Ümläut file.bin', 10, '--proxied'],
  ] as const) {
    const bytes = await world.makeFile(name, size);
    const { code, stdout } = await world.cli('upload', name, ...flags, '--json');
    expect(code).toBe(0);
    stored.set(name, { id: JSON.parse(stdout).files[0].fileId, bytes });
  }
  copy = join(world.folder, 'copy');
  cpSync(join(world.folder, 'data'), copy, { recursive: true });
  writeFileSync(join(world.folder, 'rescue.mjs'), readText('stored-objects.md', 'rescue.mjs'));
}, 120_000);
afterAll(() => world[Symbol.asyncDispose]());

function rescue(id: string) {
  const program = join(world.folder, 'rescue.mjs');
  return spawnSync(process.execPath, ['--no-warnings', program, copy, id], { maxBuffer: 2 ** 26 });
}

test('encrypted and plain files are recovered byte by byte', () => {
  for (const { id, bytes } of stored.values()) {
    const { status, stdout, stderr } = rescue(id);
    expect([status, stderr.toString()]).toEqual([0, '']);
    expect(stdout.equals(bytes)).toBe(true);
  }
});

test('a changed byte and a missing master key are reported', () => {
  const { id = '' } = stored.get('sealed.bin') ?? {};
  const objects = readdirSync(join(copy, 'objects'), { recursive: true, withFileTypes: true });
  const paths = objects.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const path = paths.find(path => readFileSync(path).subarray(0, 7).toString() === 'RPCHUNK') ?? '';
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.with(60, (bytes[60] ?? 0) ^ 1));
  const damaged = [...stored.values()].map(({ id }) => rescue(id).stderr.toString().includes('was altered'));
  expect(damaged.filter(Boolean)).toEqual([true]);
  writeFileSync(path, bytes);
  const keys = join(copy, 'keys', 'master-keys.json');
  writeFileSync(keys, readFileSync(keys, 'utf8').replace('"version": "1"', '"version": "9"'));
  expect(rescue(id).stderr.toString()).toContain('the master key of version 1 is missing');
});
