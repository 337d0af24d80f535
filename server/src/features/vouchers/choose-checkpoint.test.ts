// @module-tag long-on-postgres
// Choice of the checkpoint for the evidence of an entry, by its stored vouchers.
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { type Choosing, chooseCheckpoint } from './choose-checkpoint.ts';
import type { VoucherKind } from './migrations.ts';
import { insertVoucher } from './queries.ts';

const targets: Choosing['targets'] = [
  ...['one', 'two', 'three'].map(name => ({ kind: 'WITNESS', name }) as const),
  { kind: 'RFC3161', name: 'rfc3161' },
  { kind: 'OTS', name: 'opentimestamps' },
];

async function putVouchers({ app, clock }: TestApp, vouchers: Readonly<Record<number, string>>): Promise<void> {
  const { db } = app.database;
  for (const [size, names] of Object.entries(vouchers)) {
    const checkpoint = { size: Number(size), root: '', note: `note ${size}`, published_at: clock.now(), is_kept: 1 };
    await db.insertInto('ledger_checkpoint').values(checkpoint).execute();
    for (const target of names.split(' ').filter(name => name !== '')) {
      const kind: VoucherKind = target === 'stamp' ? 'RFC3161' : target === 'calendar' ? 'OTS' : 'WITNESS';
      const about = { checkpoint_size: Number(size), kind, target, content: Buffer.from('x') };
      const row = { ...about, stated_at: clock.now(), created_at: clock.now() };
      await db.transaction().execute(tx => insertVoucher(tx, row));
    }
  }
}

const chooser = ({ app, clock }: TestApp, quorum = 2, of = targets) => {
  const choosing: Choosing = { database: app.database, clock, config: { ledger: { quorum } }, targets: of };
  return async (position: number, recorded_at = 0) => {
    const { checkpoint, missing } = await chooseCheckpoint(choosing, { position, recorded_at });
    return [checkpoint.size, ...missing];
  };
};

test('the earliest complete checkpoint is chosen, or the earliest with the most kinds of vouchers', async () => {
  await using app = await startApp();
  await putVouchers(app, {
    10: 'one',
    20: 'one two',
    30: 'one stamp calendar',
    40: 'two three stamp',
    50: 'one two stamp calendar',
    60: 'one two three stamp calendar',
    70: 'one two',
    80: 'one stranger',
    90: '',
  });
  const choose = chooser(app);
  expect(await choose(5)).toEqual([50]);
  expect(await choose(49)).toEqual([50]);
  expect(await choose(50)).toEqual([60]);
  expect(await choose(60)).toEqual([70, 'RFC3161', 'OTS']);
  expect(await choose(70)).toEqual([80, 'WITNESS', 'RFC3161', 'OTS']);
  expect(await choose(85)).toEqual([90, 'WITNESS', 'RFC3161', 'OTS']);
  const withStamps = targets.filter(({ kind }) => kind !== 'OTS');
  expect(await chooser(app, 2, withStamps)(5)).toEqual([40]);
  expect(await chooser(app, 3)(5)).toEqual([60]);
  expect(await chooser(app, 3)(60)).toEqual([70, 'WITNESS', 'RFC3161', 'OTS']);
  expect(await chooser(app, 0, [])(5)).toEqual([90]);
  const onlyCalendars = targets.filter(({ kind }) => kind === 'OTS');
  expect([await chooser(app, 0, onlyCalendars)(5), await chooser(app, 0, onlyCalendars)(60)]).toEqual([
    [30],
    [90, 'OTS'],
  ]);
});

test('an entry waits a minute for its witness quorum, not for stamps, and needs a covering checkpoint', async () => {
  await using app = await startApp();
  await putVouchers(app, { 10: 'one stamp calendar', 20: 'one two' });
  const recordedAt = app.clock.now();
  const choose = chooser(app);
  expect(await choose(5, recordedAt)).toEqual([20, 'RFC3161', 'OTS']);
  await expect(chooser(app, 3)(5, recordedAt)).rejects.toThrow(/too few witnesses/);
  await expect(choose(20, recordedAt)).rejects.toThrow(/no checkpoint covers/);
  app.clock.advance(60_000);
  expect(await choose(5, recordedAt)).toEqual([10, 'WITNESS']);
});
