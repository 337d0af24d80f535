// Backdating by an operator who holds every key and the whole database: each test says which command detects it,
// whether the server is needed, and what stays undetected without vouchers.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { at, type Betrayal, keyEntry, openBetrayal } from '../support/betrayal-world.ts';
import { movableClock } from '../support/clock.ts';
import { openOwnLedger } from '../support/ledger-site.ts';
import { batchRoot, newLedgerKey } from '../support/ledgers.ts';
import { fileEntry } from '../support/operator-log.ts';

const in2019 = '2019-03-01T12:00:00.000Z';

let world: Betrayal;
beforeEach(async () => {
  world = await openBetrayal();
});
afterEach(() => world[Symbol.asyncDispose]());

test('an honest operator: verify returns VALID, audit no finding, existence the time of the quorum', async () => {
  const { position } = await world.issue();
  const note = await world.cosign(at(5));
  await world.show(world.log, note);
  world.layProof(position, note);
  expect(await world.verify()).toEqual(['VALID', undefined]);
  expect(await world.audit('--policy', world.path('policy'))).toEqual([0]);
  expect(await world.existence('--require', 'witness:2')).toEqual(['EXISTED', at(5)]);
});

test('A: verify --server detects a manifest that was signed again with a date of 2019', async () => {
  const { restate } = await world.issue({ issuedAt: in2019 });
  restate({ issuedAt: at(2), manifestSha256: `sha256:${'ab'.repeat(32)}` });
  expect(await world.verify()).toEqual(['INVALID', 'STATUS_IDENTITY_MISMATCH']);
});

test('A, S7: with a forged status, verify --server detects it by the ledger entry, existence offline', async () => {
  const { position } = await world.issue({ issuedAt: in2019 });
  expect(await world.verify()).toEqual(['INVALID', 'CHAIN_TIME_MISMATCH']);
  world.layProof(position, await world.cosign(at(5)));
  expect(await world.existence()).toEqual(['EXISTED', at(5)]);
});

test('S2: audit and verify --server detect an entry with a false date; existence is not affected', async () => {
  const { position } = await world.issue({ issuedAt: in2019, recordedAt: in2019 });
  expect(await world.audit('--compare', '0')).toEqual([2, 'TIME_WENT_BACK']);
  expect(await world.verify()).toEqual(['INDETERMINATE', 'CHAIN_TIME_DISORDER']);
  world.layProof(position, await world.cosign(at(5)));
  expect(await world.existence()).toEqual(['EXISTED', at(5)]);
});

test('S2: audit detects a date in a pause of the ledger by a checkpoint cosigned in that pause', async () => {
  const kept = world.keep('kept', await world.cosign(at(600)));
  await world.issue({ issuedAt: at(20), recordedAt: at(20) });
  expect(await world.verify()).toEqual(['VALID', undefined]);
  expect(await world.audit('--compare', '0')).toEqual([0]);
  const policy = ['--policy', world.path('policy')];
  expect(await world.audit('--compare', '0', ...policy, '--since', kept)).toEqual([
    3,
    'QUORUM_NOT_REACHED',
    'TIME_BEFORE_WITNESS',
  ]);
});

test('S2: without vouchers, no check detects a complete ledger that was created today with dates of 2019', async () => {
  world.log.entries.splice(0, 20, keyEntry(in2019));
  const { position } = await world.issue({
    issuedAt: '2019-03-01T12:02:00.000Z',
    recordedAt: '2019-03-01T12:01:00.000Z',
  });
  await world.show();
  expect(await world.verify()).toEqual(['VALID', undefined]);
  expect(await world.audit('--compare', '0')).toEqual([0]);
  world.layProof(position, await world.log.sign());
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  world.layProof(position, await world.cosign(at(5)));
  expect(await world.existence()).toEqual(['EXISTED', at(5)]);
});

test('B: the ledger rejects an append while the clock is behind its newest entry', async () => {
  const clock = movableClock();
  const key = newLedgerKey();
  await using own = await openOwnLedger(key, clock);
  await own.ledger.append(batchRoot(1));
  clock.advance(-7 * 365 * 86_400_000);
  await expect(own.ledger.append(batchRoot(2))).rejects.toThrow(/clock of this server says 2019-/);
});

test('B: audit detects an entry that a modified server appended with an earlier date', async () => {
  await world.issue();
  world.log.entries.push(fileEntry(100, in2019));
  await world.show();
  expect(await world.audit('--compare', '0')).toEqual([2, 'TIME_WENT_BACK']);
});

test('audit detects a clock that is set forward, at once and by the witnesses later', async () => {
  world.log.entries.push(fileEntry(100, '2199-01-01T00:00:00.000Z'));
  await world.show();
  expect(await world.audit('--compare', '0')).toEqual([2, 'TIME_IN_FUTURE']);
  world.log.entries.splice(20, 1, fileEntry(100, at(500)));
  await world.show(world.log, await world.cosign(at(5)));
  expect(await world.audit('--compare', '0', '--policy', world.path('policy'))).toEqual([2, 'TIME_AFTER_VOUCHER']);
});

test('a witness whose clock is set back signs nothing', async () => {
  const [witness] = world.witnesses;
  expect(await witness?.ask(world.log, at(5), 3)).toMatchObject([200, {}]);
  expect(await witness?.ask(world.log, in2019)).toEqual([503, '']);
});
