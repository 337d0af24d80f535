// Ledger entries that are appended in the transaction of the caller.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import type { Ledger } from '@recordproof/server/features/chain/index.ts';
import { subjectOf } from '@recordproof/shared/evidence/ledger-entry.ts';
import { afterEach, expect, test } from 'vitest';
import { eachDatabase } from '../support/databases.ts';
import { readEntries } from '../support/ledger-entries.ts';
import { fileRecord, newLedgerKey, openTestLedger, openTestStore } from '../support/ledgers.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const commitWith = ({ db, recordWithin }: Ledger, ...numbers: number[]): Promise<void> =>
  db.transaction().execute(tx => recordWithin(tx, numbers.map(fileRecord)));

eachDatabase((_engine, open) => {
  const key = newLedgerKey();

  async function openLedgers(count: number): Promise<Ledger[]> {
    const database = await open(migrations);
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-ledger-'));
    folders.push(folder);
    const objects = await openTestStore(folder);
    const handles = await Promise.all(Array.from({ length: count }, () => database.openAgain()));
    return Promise.all(handles.map(({ db }) => openTestLedger(db, objects, key)));
  }

  const entriesOf = ({ db }: Ledger) => readEntries(db);

  test('concurrent appends by several servers, with and without transactions, fill the log without a gap', async () => {
    const ledgers = await openLedgers(3);
    const rivals = Array.from({ length: 30 }, async (_, rival) => {
      const ledger = ledgers[rival % 3] as Ledger;
      if (rival % 2 === 0) await commitWith(ledger, rival * 3, rival * 3 + 1, rival * 3 + 2);
      else await Promise.all([0, 1, 2].map(nth => ledger.append(fileRecord(rival * 3 + nth))));
    });
    await Promise.all(rivals);
    const [first] = ledgers as [Ledger];
    const entries = await entriesOf(first);
    expect(entries.map(({ position }) => position)).toEqual(Array.from({ length: 90 }, (_, at) => at));
    expect(new Set(entries.map(({ subject }) => subject)).size).toBe(90);
    await first.publish();
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
  });

  test('an existing entry is not written twice, and a conflicting entry rejects the whole commit', async () => {
    const [ledger] = (await openLedgers(1)) as [Ledger];
    await commitWith(ledger, 1);
    await commitWith(ledger, 1, 2, 2);
    const before = await entriesOf(ledger);
    expect(before.map(({ subject }) => subject)).toEqual([1, 2].map(number => subjectOf(fileRecord(number))));
    const other = { ...fileRecord(1), manifestHash: `sha256:${'f'.repeat(64)}` };
    const commit = ledger.db.transaction().execute(tx => ledger.recordWithin(tx, [fileRecord(3), other]));
    await expect(commit).rejects.toMatchObject({ failure: 'REFUSED' });
    expect(await entriesOf(ledger)).toEqual(before);
    await ledger[Symbol.asyncDispose]();
  });
});
