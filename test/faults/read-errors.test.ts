// Reads that fail below us (EIO), on the disk of the objects and on that of the database.
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect } from 'vitest';
import { toObjectPath } from '../../server/src/platform/objects/disk-layout.ts';
import { openShared } from '../support/object-stores.ts';
import { testWith } from '../support/programs.ts';

const run = promisify(execFile);
const helper = fileURLToPath(new URL('../support/children/read-failing.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'recordproof-read-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Reading = { readonly path: string; readonly args: readonly string[] };

/** Lets every read of one file fail from the n-th on. */
async function readWithFault({ path, args }: Reading, nth: number): Promise<unknown> {
  const calls = 'pread64,preadv,read';
  const inject = ['-P', path, '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO:when=${nth}+`];
  const program = [process.execPath, helper, ...args];
  // One thread reads, because strace counts for each thread apart.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  const { stdout } = await run('strace', ['-f', '-qq', '-o', '/dev/null', ...inject, ...program], { env });
  return JSON.parse(stdout);
}

/** Until so many reads are made that none fails. */
async function readAtEachFault(reading: Reading): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let nth = 1; ; nth += 1) {
    const answer = await readWithFault(reading, nth);
    if (answer === 'read') return answers;
    answers.push(answer);
  }
}

const failing = { status: 503, code: 40005, message: expect.stringContaining('disk of this server') };

testWith('strace')(
  'a read error of a stored object gets 503, whichever read fails',
  async () => {
    const shared = { kind: 'disk', folder } as const;
    await using store = await openShared(shared);
    await store.put('a/b', [Buffer.alloc(600_000, 1)]);
    const { folders, file } = toObjectPath('a/b');
    const path = join(folder, 'objects', ...folders, file);
    const answers = await readAtEachFault({ path, args: ['object', JSON.stringify(shared), 'a/b'] });
    expect(answers.length).toBeGreaterThan(2);
    expect(answers).toEqual(answers.map(() => failing));
  },
  60_000,
);

testWith('strace')(
  'a read error of a database file gets 503, whichever read fails',
  async () => {
    const path = join(folder, 'data.db');
    const database = new Database(path);
    database.exec('create table file (id integer primary key, text text)');
    const insert = database.prepare('insert into file (text) values (?)');
    database.transaction(() => {
      for (let row = 0; row < 50; row += 1) insert.run('x'.repeat(1000));
    })();
    database.close();
    const answers = await readAtEachFault({ path, args: ['database', path, 'file'] });
    expect(answers.length).toBeGreaterThan(2);
    expect(answers).toEqual(answers.map(() => failing));
  },
  120_000,
);
