// Dates of file records: with two servers of one database, whose clocks differ and jump, and many uploads at once, no entry
// of the ledger states a time before that of an earlier entry.
import { listFiles } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { openMovableClock, type Person, startApp } from '../../../../test/support/app.ts';
import { dropDatabaseOf } from '../../../../test/support/app-database.ts';
import { engines } from '../../../../test/support/engines.ts';
import { readEntries } from '../../../../test/support/ledger-entries.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { makeLedgerFolder } from '../../../../test/support/witnesses.ts';

const rivals = 60;

/** Each look is up to 2 seconds before or behind the one before it. */
function openJumpingClock(aheadMs: number) {
  const clock = openMovableClock();
  let readings = 0;
  return {
    ...clock,
    now: () => {
      readings += 1;
      return clock.now() + aheadMs + (readings % 3) * 1000;
    },
  };
}

test('concurrent uploads have records in the order of their times, each with its ledger entry', async () => {
  await using stack = new AsyncDisposableStack();
  const { folder } = stack.use(await makeLedgerFolder('ledger.example/log'));
  stack.defer(() => dropDatabaseOf(folder));
  const env = { RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true' };
  const first = stack.use(await startApp({ folder, env, clock: openJumpingClock(0) }));
  // Only PostgreSQL takes two servers.
  const isShared = engines[0] === 'postgres';
  const second = isShared ? stack.use(await startApp({ folder, env, clock: openJumpingClock(1900) })) : first;
  const ada = await first.person('ada');
  const people = [ada, isShared ? await second.person('bob') : ada];
  const { db } = first.app.database;
  await Promise.all(
    Array.from({ length: rivals }, (_, at) => {
      const person = people[at % 2] as Person;
      return sendFile(person, Buffer.from(`file ${at}`), `${at}.txt`);
    }),
  );

  const rows = await readEntries(db);
  expect(rows.filter(({ kind }) => kind === 'FILE_RECORD')).toHaveLength(rivals);
  const times = rows.map(({ recorded_at }) => recorded_at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const row of rows) expect(JSON.parse(row.entry).recordedAt).toBe(new Date(row.recorded_at).toISOString());
  const leaves = new Map(rows.map(row => [row.subject, `0x${row.leaf_hash}`]));
  for (const person of new Set(people))
    for (const file of (await person.call(listFiles, { query: { size: 100 } })).records)
      expect(file.transactionHash).toBe(leaves.get(file.fileHash));
});
