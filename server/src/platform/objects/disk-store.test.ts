// The disk object store: durability, permissions, concurrent creates, damage, temporary files, and full disks.
import { execFile, execFileSync } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pattern, patternStream, sha256Of, toBytes, toList } from '../../../../test/support/bytes.ts';
import { objectDamages } from '../../../../test/support/object-damages.ts';
import { testWith } from '../../../../test/support/programs.ts';
import { toObjectPath } from './disk-layout.ts';
import { openDiskStore } from './disk-store.ts';

const run = promisify(execFile);
const helper = fileURLToPath(new URL('../../../../test/support/put-and-wait.ts', import.meta.url));
const presign = { baseUrl: 'http://localhost/signed', secret: createSecretKey(Buffer.alloc(32)) };
const mebibyte = 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const rejected = (kind: string) => expect.objectContaining({ name: 'ObjectStoreError', kind });

let folder: string;
const mounts: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-disk-'));
});
afterEach(async () => {
  for (const mount of mounts.splice(0).reverse()) execFileSync('umount', [mount]);
  await rm(folder, { recursive: true, force: true });
});

const pathOf = (root: string, key: string) => {
  const { folders, file } = toObjectPath(key);
  return join(root, 'objects', ...folders, file);
};

test('a store whose folder is missing is UNAVAILABLE for every object', async () => {
  const store = await openDiskStore({ folder, presign });
  await store.put('some/key', patternStream(100));
  await rm(join(folder, 'objects'), { recursive: true });
  await expect(store.findHead('some/key')).rejects.toEqual(rejected('UNAVAILABLE'));
  await expect(store.get('some/key')).rejects.toEqual(rejected('UNAVAILABLE'));
  await expect(store.digest('some/key')).rejects.toEqual(rejected('UNAVAILABLE'));
});

test('a truncated, extended or emptied file is CORRUPT without being read', async () => {
  const store = await openDiskStore({ folder, presign });
  const hurts = [
    (path: string, bytes: number) => truncate(path, bytes - 1),
    (path: string) => appendFile(path, 'x'),
    (path: string) => truncate(path, 0),
    (path: string) => truncate(path, 10),
  ];
  for (const [index, hurt] of hurts.entries()) {
    const key = `cut/${index}`;
    await store.put(key, patternStream(10_000));
    const path = pathOf(folder, key);
    await hurt(path, (await stat(path)).size);
    await expect(store.findHead(key)).rejects.toEqual(rejected('CORRUPT'));
    await expect(store.get(key)).rejects.toEqual(rejected('CORRUPT'));
    await expect(store.digest(key)).rejects.toEqual(rejected('CORRUPT'));
    await expect(store.copy(key, 'cut/copy')).rejects.toEqual(rejected('CORRUPT'));
  }
});

test.each(Object.entries(objectDamages))(
  'a damaged object (%s) is detected, and is sound again after it is replaced',
  async (_, hurt) => {
    const store = await openDiskStore({ folder, presign });
    const bytes = await pattern(10_000, 1);
    const sha256 = sha256Of(bytes);
    const isSound = async (key: string) => {
      const read = await store.get(key, { sha256 });
      return (await toBytes(read.body)).equals(bytes) && read.sha256 === sha256;
    };
    await store.put('fresh', [bytes]);
    const mends = {
      put: (key: string) => store.put(key, [bytes]),
      copy: (key: string) => store.copy('fresh', key),
      'delete and put': (key: string) => store.delete(key).then(() => store.put(key, [bytes])),
    };
    for (const [name, mend] of Object.entries(mends)) {
      const key = `hurt/${name}`;
      await store.put(key, [bytes]);
      await hurt(pathOf(folder, key));
      expect(await isSound(key).catch(() => false)).toBe(false);
      await mend(key);
      expect(await isSound(key)).toBe(true);
    }
  },
);

test('a read of an object that is replaced meanwhile fails or returns the old bytes', async () => {
  const store = await openDiskStore({ folder, presign });
  await store.put('replaced', patternStream(3 * mebibyte, 1));
  const late = await store.get('replaced');
  const early = await store.get('replaced');
  const iterator = early.body[Symbol.asyncIterator]();
  const first = await iterator.next();
  await store.put('replaced', patternStream(3 * mebibyte, 2));
  await expect(toBytes(late.body)).rejects.toEqual(rejected('REPLACED'));
  const rest = await toBytes({ [Symbol.asyncIterator]: () => iterator });
  const whole = Buffer.concat([first.value ?? Buffer.alloc(0), rest]);
  expect(whole.equals(await pattern(3 * mebibyte, 1))).toBe(true);
});

test('objects and folders are accessible to the owner only, and no temporary file remains', async () => {
  const store = await openDiskStore({ folder, presign });
  await store.put('a/b', patternStream(10));
  await expect(store.put('a/c', patternStream(10), { size: 11 })).rejects.toEqual(rejected('LENGTH_MISMATCH'));
  expect((await stat(pathOf(folder, 'a/b'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'objects'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, 'temporary'))).toEqual([]);
});

test('opening a store deletes temporary files of dead processes and keeps those of live ones', async () => {
  const store = await openDiskStore({ folder, presign });
  const temporary = join(folder, 'temporary');
  const started = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  async function* slow() {
    yield* patternStream(2 * mebibyte);
    started.resolve();
    await goOn.promise;
    yield* patternStream(10);
  }
  const writing = store.put('slow', slow());
  await started.promise;
  const [own = ''] = await readdir(temporary);
  const [host] = own.split('.');
  const dead = `${host}.${2 ** 22 + 1}.00.1`;
  const reborn = `${host}.${process.pid}.00.1`;
  const elsewhere = 'ffffffff.1.00.1';
  for (const name of [dead, reborn, elsewhere]) await writeFile(join(temporary, name), 'left over');
  await openDiskStore({ folder, presign });
  expect((await readdir(temporary)).sort()).toEqual([own, elsewhere].sort());
  await openDiskStore({ folder, presign, now: () => Date.now() + 25 * 3_600_000 });
  expect(await readdir(temporary)).toEqual([own]);
  goOn.resolve();
  expect((await writing).size).toBe(2 * mebibyte + 10);
});

test('concurrent creates in two stores over one folder: one succeeds', async () => {
  const stores = await Promise.all([openDiskStore({ folder, presign }), openDiskStore({ folder, presign })]);
  const race = Array.from({ length: 16 }, (_, index) =>
    stores[index % 2]?.create('race', patternStream(100_000, index), { size: 100_000 }),
  );
  const outcomes = await Promise.allSettled(race);
  expect(outcomes.filter(outcome => outcome.status === 'fulfilled')).toHaveLength(1);
  expect(await readdir(join(folder, 'temporary'))).toEqual([]);
});

test.skipIf(!isRoot)(
  'a full disk is a clear error, leaves nothing behind, and is usable again when there is space',
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
    mounts.push(folder);
    const store = await openDiskStore({ folder, presign });
    await store.put('small/kept', patternStream(mebibyte, 1));
    for (const put of [
      () => store.put('small/big', patternStream(8 * mebibyte)),
      () => store.create('small/big', patternStream(8 * mebibyte), { size: 8 * mebibyte }),
    ]) {
      await expect(put()).rejects.toEqual(rejected('NO_SPACE'));
      expect(await readdir(join(folder, 'temporary'))).toEqual([]);
    }
    expect((await toList(store.list(''))).map(entry => entry.key)).toEqual(['small/kept']);
    await store.put('small/fits', patternStream(2 * mebibyte, 2));
    expect((await store.digest('small/kept')).sha256).toBe(sha256Of(await pattern(mebibyte, 1)));
    const { usagePercent = 0 } = await store.probe();
    expect(usagePercent).toBeGreaterThan(70);
  },
);

test.skipIf(!isRoot)('a read-only disk is reported, and can still be read', async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
  mounts.push(folder);
  const store = await openDiskStore({ folder, presign });
  await store.put('a', patternStream(100));
  execFileSync('mount', ['-o', 'remount,ro', folder]);
  await expect(store.put('b', patternStream(100))).rejects.toEqual(rejected('DENIED'));
  expect((await store.digest('a')).size).toBe(100);
  expect(await store.probe()).toMatchObject({ healthyNodes: 0, totalNodes: 1 });
});

/** Lets the n-th fsync of a process that stores one object go wrong. */
async function putWithFault(fault: string, nth: number): Promise<'stored' | 'failed' | 'killed'> {
  const inject = `inject=fsync:${fault}:when=${nth}`;
  const args = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync', '-e', inject, process.execPath, helper];
  const store = JSON.stringify({ kind: 'disk', folder });
  // One thread does all of them, because strace counts for each thread apart.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  return run('strace', [...args, store, 'whole', 'faulty/object', String(2 * mebibyte)], { env }).then(
    () => 'stored',
    (error: { stderr: string; code: number | null }) => {
      if (error.code === 137 || error.code === null) return 'killed';
      expect(error.stderr).toContain('the object store failed with EIO');
      return 'failed';
    },
  );
}

testWith('strace').each(['error=EIO', 'signal=SIGKILL'])(
  'no failure of an fsync is ignored (%s at each of them)',
  { tags: 'long', timeout: 60_000 },
  async fault => {
    for (let nth = 1; ; nth += 1) {
      const outcome = await putWithFault(fault, nth);
      const store = await openDiskStore({ folder, presign });
      expect(await readdir(join(folder, 'temporary'))).toEqual([]);
      const listed = await toList(store.list(''));
      for (const { key } of listed) expect((await store.digest(key)).size).toBe(2 * mebibyte);
      await rm(folder, { recursive: true });
      await mkdir(folder);
      if (outcome === 'stored') {
        expect(listed).toHaveLength(1);
        // objects, temporary, area, shard, the file, its folder: fewer syncs than this cannot be durable.
        expect(nth).toBeGreaterThan(6);
        return;
      }
      expect(outcome).toBe(fault === 'error=EIO' ? 'failed' : 'killed');
    }
  },
);

test.skipIf(!isRoot)(
  'an acknowledged object survives a power failure immediately after',
  { tags: 'long', timeout: 30_000 },
  async () => {
    const image = join(folder, 'image');
    const before = join(folder, 'before');
    const after = join(folder, 'after');
    for (const path of [before, after]) await mkdir(path);
    execFileSync('truncate', ['-s', '32M', image]);
    execFileSync('mkfs.ext4', ['-q', '-F', image]);
    // Nothing reaches the image in these 300 s but what somebody syncs.
    execFileSync('mount', ['-o', 'loop,commit=300', image, before]);
    mounts.push(before);
    const store = await openDiskStore({ folder: join(before, 'store'), presign });
    const contentOf = async (opened: typeof store) => {
      const listed = await toList(opened.list(''));
      const digests = await Promise.all(listed.map(async ({ key }) => `${key} ${(await opened.digest(key)).sha256}`));
      return digests.sort();
    };
    const steps = [
      () => store.put('put/new', patternStream(100_000, 1)),
      () => store.put('put/new', patternStream(100_000, 2)),
      () => store.create('created/1', patternStream(1000), { size: 1000 }),
      () => store.copy('put/new', 'copied/1'),
      () => store.delete('put/new'),
    ];
    for (const step of steps) {
      await step();
      await copyFile(image, `${image}.cut`);
      execFileSync('mount', ['-o', 'loop', `${image}.cut`, after]);
      try {
        const survivor = await openDiskStore({ folder: join(after, 'store'), presign });
        expect(await contentOf(survivor)).toEqual(await contentOf(store));
      } finally {
        execFileSync('umount', [after]);
      }
    }
  },
);
