// File lock of the command line: mutual exclusion, release after a failure and after the kill of its holder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alone } from './lock.ts';
import { writePrivate } from './private-file.ts';

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'recordproof-lock-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test('work under one lock never overlaps, also within one process', async () => {
  await using folder = await openFolder();
  let inside = 0;
  const work = async (index: number) => {
    expect(++inside).toBe(1);
    await writePrivate(join(folder.path, 'file'), String(index));
    inside--;
    return index;
  };
  const results = await Promise.all([0, 1, 2, 3].map(index => alone(join(folder.path, 'lock'), () => work(index))));
  expect(results).toEqual([0, 1, 2, 3]);
});

test('failed work releases the lock', async () => {
  await using folder = await openFolder();
  const lock = join(folder.path, 'lock');
  const failing = alone(lock, () => Promise.reject(new Error('broken')));
  const next = alone(lock, async () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});

test('a killed holder releases the lock, and its draft is overwritten', async () => {
  await using folder = await openFolder();
  const lock = join(folder.path, 'lock');
  const file = join(folder.path, 'file');
  const module = JSON.stringify(new URL('./lock.ts', import.meta.url).href);
  const script = `import { alone } from ${module};
    await alone(${JSON.stringify(lock)}, () => { console.log('holding'); return new Promise(() => setInterval(() => {}, 1000)); });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  await writeFile(`${file}.draft`, 'half of some', { mode: 0o644 });
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await alone(lock, () => writePrivate(file, 'whole'));
  expect(await readFile(file, 'utf8')).toBe('whole');
});
