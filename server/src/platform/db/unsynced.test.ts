// Writes whose commits do not wait for the disk, beside those that do.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from './open-db.ts';
import type { Db } from './tables.ts';

const openFile = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-unsynced-'));
  return openDatabase({ kind: 'sqlite', path: join(folder, 'db.sqlite') });
};

const levels = { full: 2, normal: 1 };

/** The level at which the commit of this transaction is synced. */
const levelIn = (db: Db): Promise<number | undefined> =>
  db.transaction().execute(async tx => {
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
    return rows[0]?.synchronous;
  });

test('each transaction has its own level, also among rivals and after one that failed', async () => {
  const { db, unsynced, close } = await openFile();
  const failing = (one: Db) =>
    one.transaction().execute(async () => {
      throw new Error('rolled back');
    });
  const rivals = Array.from({ length: 60 }, async (_, index) => {
    if (index % 7 === 0) await failing(index % 2 === 0 ? db : unsynced).catch(() => undefined);
    expect(await levelIn(index % 3 === 0 ? unsynced : db)).toBe(index % 3 === 0 ? levels.normal : levels.full);
  });
  await Promise.all(rivals);
  await close();
});

test('both see the commits of the other, and a statement alone is written by either', async () => {
  const { db, unsynced, close } = await openFile();
  await sql`create table note (text text not null)`.execute(db);
  const add = (one: Db, text: string) => sql`insert into note (text) values (${text})`.execute(one);
  const list = async (one: Db) => (await sql<{ text: string }>`select text from note order by text`.execute(one)).rows;
  await add(unsynced, 'a');
  await add(db, 'b');
  await unsynced.transaction().execute(tx => add(tx, 'c'));
  for (const one of [db, unsynced]) expect((await list(one)).map(({ text }) => text)).toEqual(['a', 'b', 'c']);
  await close();
});

test('a statement after the end fails at once, and so does the next one', async () => {
  const { db, unsynced, close } = await openFile();
  for (const one of [db, unsynced]) await levelIn(one);
  await close();
  for (const one of [unsynced, db, unsynced]) await expect(levelIn(one)).rejects.toThrow(/destroyed|not open/);
});
