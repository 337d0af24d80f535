// Reading of the items of a rotation certificate: it yields to other work between pages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/support/database-address.ts';
import { planRotation } from '../../../../test/support/rotation-world.ts';
import { findRun } from '../runs/index.ts';
import { readItems } from './certificate-items.ts';
import { insertItems } from './item-queries.ts';
import { rotations } from './rotations.ts';

const items = 2500;

test('reading items yields to other work between two pages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-items-'));
  const database = await openTestDatabase({ kind: 'sqlite', at: join(folder, 'items.db') });
  try {
    const { db } = database;
    const which = await planRotation(database, { folder, envelopes: items });
    const planned = await findRun(db, rotations, which);
    if (planned === null) throw new Error('there is no run');
    const run = { ...planned, provider_key_version: '1' };
    await db.transaction().execute(tx => insertItems(tx, { run, limit: items, now: 0 }));

    const seen: string[] = [];
    let isOver = false;
    const other = (async () => {
      for (; !isOver; await othersTurn()) seen.push('other');
    })();
    for await (const page of readItems(db, run)) seen.push(`${page.length} items`);
    isOver = true;
    await other;
    const pages = seen.filter((word, at) => word !== seen[at - 1]);
    expect(pages).toEqual(['other', '1000 items', 'other', '1000 items', 'other', '500 items']);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
});
