// A database that loses commits under a running server, as in a failover to a lagging standby: the ledger records
// nothing until it has restored the published entries from the object store, and then continues.
import { createPrivateKey } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { findSeenCheckpoint, type Ledger, openLedger, verifyLedger } from '@recordproof/server/features/chain/index.ts';
import { getLog, listEntries } from '@recordproof/server/features/chain/ledger/queries.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { afterEach, expect, test } from 'vitest';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { fileRecord, newLedgerKey, openTestStore } from '../support/ledgers.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const append = async (ledger: Ledger, first: number, count: number): Promise<void> => {
  for (let number = first; number < first + count; number += 1) await ledger.append(fileRecord(number));
};

const listRecords = async (db: Db): Promise<string[]> =>
  (await listEntries(db, 0, 1000)).map(({ subject }) => String(Number.parseInt(subject.slice(-8), 16)));

/** What a standby has that lacks later commits. */
const copyState = async (db: Db) => ({
  log: await getLog(db),
  checkpoints: await db.selectFrom('ledger_checkpoint').selectAll().execute(),
});

async function loseCommitsSince(db: Db, { log, checkpoints }: Awaited<ReturnType<typeof copyState>>): Promise<void> {
  await db.deleteFrom('ledger_entry').where('position', '>=', log.size).execute();
  await db.deleteFrom('ledger_checkpoint').execute();
  await db.insertInto('ledger_checkpoint').values(checkpoints).execute();
  await db.updateTable('ledger_log').set(log).execute();
}

eachDatabase((_engine, open) => {
  async function openFixture() {
    const database = await open(migrations);
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-failover-'));
    folders.push(folder);
    const objects = await openTestStore(folder);
    const clock = movableClock();
    const privateKey = createPrivateKey(newLedgerKey());
    const start = (identity: string, db = database.db, isTakeOver = false): Promise<Ledger> =>
      openLedger({
        db,
        objects,
        clock,
        log: silentLog,
        privateKey,
        writer: { database: 'main', identity, isTakeOver },
      });
    return { db: database.db, objects, clock, start };
  }

  /** Three entries are on the standby, five are lost. */
  async function failOver(fixture: Awaited<ReturnType<typeof openFixture>>, ledger: Ledger): Promise<void> {
    await append(ledger, 0, 3);
    await ledger.publish();
    const standby = await copyState(fixture.db);
    await append(ledger, 3, 5);
    await ledger.publish();
    await ledger.renewWriter();
    await loseCommitsSince(fixture.db, standby);
  }

  test('entries lost in a failover are restored from the object store, before newer ones', async () => {
    const fixture = await openFixture();
    const { db, objects, clock } = fixture;
    await using ledger = await fixture.start('one');
    await failOver(fixture, ledger);
    await append(ledger, 100, 2);
    await expect(ledger.publish()).rejects.toThrow('has lost commits');
    await expect(ledger.append(fileRecord(200))).rejects.toThrow();
    await expect(ledger.renewWriter()).rejects.toThrow('has lost commits');
    expect(await ledger.findWriterProblem()).toContain('imports the lost ledger entries');

    clock.advance(4 * 60_000);
    await ledger.renewWriter();
    expect(await ledger.findWriterProblem()).toBeNull();
    await append(ledger, 200, 1);
    await ledger.publish();
    expect(await listRecords(db)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '100', '101', '200']);
    expect(await verifyLedger({ db, objects, key: ledger.key })).toMatchObject({ problems: [] });
  });

  test('commits lost since the last renewal are restored before another checkpoint is signed', async () => {
    const fixture = await openFixture();
    const { db, objects, clock } = fixture;
    await using ledger = await fixture.start('one');
    await append(ledger, 0, 3);
    await ledger.publish();
    const standby = await copyState(db);
    await append(ledger, 3, 5);
    await ledger.publish();
    await loseCommitsSince(db, standby);
    await append(ledger, 100, 2);
    await expect(ledger.publish()).rejects.toThrow('has lost commits');
    await expect(ledger.append(fileRecord(200))).rejects.toThrow();
    const published = await findSeenCheckpoint({ objects, key: ledger.key });
    expect(published).toMatchObject({ size: 8 });

    await expect(ledger.renewWriter()).rejects.toThrow('has lost commits');
    clock.advance(4 * 60_000);
    await ledger.renewWriter();
    await ledger.publish();
    expect(await listRecords(db)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '100', '101']);
    expect(await verifyLedger({ db, objects, key: ledger.key })).toMatchObject({ publishedSize: 10, problems: [] });
  });

  test('a ledger stays fenced when another database has taken over or the history differs', async () => {
    const fixture = await openFixture();
    const { db, clock } = fixture;
    await using ledger = await fixture.start('one');
    await failOver(fixture, ledger);
    await append(ledger, 5, 1); // the same record again, at another position
    await expect(ledger.publish()).rejects.toThrow('has lost commits');
    clock.advance(4 * 60_000);
    await expect(ledger.renewWriter()).rejects.toThrow('restore a newer backup');
    await expect(ledger.append(fileRecord(300))).rejects.toThrow();
    expect((await getLog(db)).fenced_at).not.toBeNull();

    const other = await openFixture();
    await using first = await other.start('one');
    await append(first, 0, 3);
    await first.publish();
    const copied = await getLog(other.db);
    await using second = await other.start('two', other.db, true);
    await second.renewWriter();
    await other.db.updateTable('ledger_log').set(copied).execute();
    other.clock.advance(60 * 60_000);
    await expect(first.renewWriter()).rejects.toThrow('has taken over this ledger');
  });
});
