// A clock that is set back: the ledger records no entry with an earlier date, and names the clock to check.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { findTimeSteps, type Ledger, verifyLedger } from '@recordproof/server/features/chain/index.ts';
import { getLog } from '@recordproof/server/features/chain/ledger/queries.ts';
import type { ObjectStore } from '@recordproof/server/platform/objects/object-store.ts';
import { afterEach, expect, test } from 'vitest';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { batchRoot, fileRecord, newLedgerKey, openTestLedger, openTestStore } from '../support/ledgers.ts';

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map(folder => rm(folder, { recursive: true, force: true }))));

async function newStore(): Promise<ObjectStore> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-times-'));
  folders.push(folder);
  return openTestStore(folder);
}

const start = Date.UTC(2026, 0, 15, 12);
const backTo2019 = Date.UTC(2019, 2, 1) - start;
const behind = /clock of this server says 2019-03-01.* newest entry of its ledger was recorded at 2026-01-15/;

eachDatabase((_engine, open) => {
  const key = newLedgerKey();

  async function openOne() {
    const { db } = await open(migrations);
    const objects = await newStore();
    const clock = movableClock(start);
    return { db, objects, clock, open: () => openTestLedger(db, objects, key, clock) };
  }

  const timesOf = async ({ db }: Awaited<ReturnType<typeof openOne>>) =>
    (await db.selectFrom('ledger_entry').select('recorded_at').orderBy('position').execute()).map(
      row => row.recorded_at,
    );

  const within = (ledger: Ledger, number: number) =>
    ledger.db.transaction().execute(tx => ledger.recordWithin(tx, [fileRecord(number)]));

  test('attack B: appends are rejected while the clock is behind the newest entry', async () => {
    const site = await openOne();
    await using ledger = await site.open();
    await ledger.append(batchRoot(1));
    site.clock.advance(backTo2019);
    await expect(ledger.append(batchRoot(2))).rejects.toThrow(behind);
    await expect(within(ledger, 3)).rejects.toThrow(behind);
    site.clock.advance(-backTo2019);
    await ledger.append(batchRoot(2));
    await within(ledger, 3);
    expect(await timesOf(site)).toEqual([start, start, start]);
  });

  test('a database restored from the tiles stores the latest time of its entries', async () => {
    const site = await openOne();
    {
      await using ledger = await site.open();
      await ledger.append(batchRoot(1));
      site.clock.advance(-4000);
      // Of a transaction that waited: earlier than the entry before it, within the tolerance between servers.
      await within(ledger, 2);
      await ledger.publish();
    }
    const { db } = await open(migrations);
    await using _ = await openTestLedger(db, site.objects, key, site.clock);
    const { size, recorded_until } = await getLog(db);
    expect([size, recorded_until]).toEqual([2, start]);
  });

  test('attack B: a ledger is not opened with a clock behind its newest entry', async () => {
    const site = await openOne();
    await using first = await site.open();
    await first.append(batchRoot(1));
    await first.publish();
    site.clock.advance(backTo2019);
    await expect(site.open()).rejects.toThrow(behind);
    site.clock.advance(-backTo2019 - 4000);
    await using again = await site.open();
    expect(again.identity).toEqual(first.identity);
  });

  test('clocks of two servers may differ by five seconds; the times of entries never decrease', async () => {
    const site = await openOne();
    await using ledger = await site.open();
    await ledger.append(batchRoot(1));
    site.clock.advance(-4000);
    await ledger.append(batchRoot(2));
    await within(ledger, 3);
    expect(await timesOf(site)).toEqual([start, start, start]);
  });

  test('a date earlier than that of the entry before it is reported, and the ledger continues', async () => {
    const site = await openOne();
    await using ledger = await site.open();
    await ledger.append(batchRoot(1));
    // The behaviour of a server of an earlier release while its clock was wrong.
    await site.db.updateTable('ledger_log').set({ recorded_until: 0 }).execute();
    site.clock.advance(backTo2019);
    await ledger.append(batchRoot(2));
    site.clock.advance(-backTo2019);
    await ledger.append(batchRoot(3));
    await ledger.publish();
    expect(await findTimeSteps(site.db, 5000)).toEqual({ count: 1, first: 1 });
    const report = await verifyLedger({ db: site.db, objects: site.objects, key: ledger.key });
    expect(report).toMatchObject({ problems: [], timeSteps: [expect.stringContaining('entry 1 states 2019-03-01')] });
  });
});
