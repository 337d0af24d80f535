// @module-tag long
// Schedule of calls to voucher targets: at most once a second, at least daily with new entries, outside of uploads.
import { randomBytes } from 'node:crypto';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { expect, test } from 'vitest';
import { openMovableClock, type Person, type TestApp } from '../../../../test/support/app.ts';
import { testSigner } from '../../../../test/support/note-keys.ts';
import { honestWitness, serve, startWitnessed } from '../../../../test/support/outside-services.ts';
import { exportProof, openProof } from '../../../../test/support/real-proofs.ts';
import { countStatements } from '../../../../test/support/statement-count.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { makeLedgerFolder } from '../../../../test/support/witnesses.ts';
import { findTarget } from './queries.ts';

const signer = testSigner('COSIGNATURE', 'one.example');
const dayMs = 86_400_000;

async function grow({ app, drain }: TestApp, person: Person): Promise<string> {
  const { fileId } = await storeProxied(person, randomBytes(2000));
  await drain();
  await app.server.ledger.publish();
  return fileId;
}

const sizeOf = async ({ app }: TestApp): Promise<number> =>
  (await app.database.db.selectFrom('ledger_log').select('size').executeTakeFirstOrThrow()).size;

/** Of the one witness. */
async function vouchedSizeOf({ app, config }: TestApp): Promise<number> {
  const [row] = await app.database.db.selectFrom('voucher_target').select('name').execute();
  expect(config.ledger.witnesses).toHaveLength(1);
  return row === undefined ? 0 : (await findTarget(app.database.db, row.name)).vouched_size;
}

test('a witness is called at most once a second, and on every day with new entries', async () => {
  const clock = openMovableClock();
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const askedAt: number[] = [];
  const honest = honestWitness(signer, ledger.logKey, () => Math.floor(clock.now() / 1000));
  await using served = await serve((request, response) => {
    askedAt.push(clock.now());
    return honest(request, response);
  });
  const env = { RECORDPROOF_LEDGER_WITNESSES: `${served.url} ${toTypedKeyText(signer)}` };
  await using app = await startWitnessed(ledger, env, clock);
  const ada = await app.person('ada');
  const sizes: number[] = [];
  for (let round = 0; round < 8; round++) {
    await grow(app, ada);
    clock.advance(250);
    sizes.push(await vouchedSizeOf(app));
  }
  const isCovered = async () => {
    clock.advance(1000);
    await app.drain();
    return (await vouchedSizeOf(app)) === (await sizeOf(app));
  };
  await expect.poll(isCovered, { timeout: 20_000 }).toBe(true);
  for (let day = 0; day < 3; day++) {
    const before = askedAt.length;
    clock.advance(dayMs);
    // The session of yesterday is over.
    await grow(app, await app.person(`day${day}`));
    await expect.poll(isCovered, { timeout: 20_000 }).toBe(true);
    expect(askedAt.length).toBeGreaterThan(before);
  }
  const pauses = askedAt.slice(1).map((time, at) => time - (askedAt[at] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1000);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
});

test('unreachable targets add no statement to an upload and its proof', async () => {
  const deadUrl = 'http://127.0.0.1:9';
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const witnesses = ['one', 'two', 'three'].map(
    name => `${deadUrl} ${toTypedKeyText(testSigner('COSIGNATURE', `${name}.example`))}`,
  );
  const env = { RECORDPROOF_LEDGER_WITNESSES: witnesses.join(','), RECORDPROOF_LEDGER_CALENDARS: deadUrl };
  await using app = await startWitnessed(ledger, env, openMovableClock());
  const ada = await app.person('ada');
  await grow(app, ada);
  for (let round = 0; round < 12; round++) {
    for (const pauseMs of [300_000, 1000]) {
      app.clock.advance(pauseMs);
      await app.drain();
    }
  }
  const targets = await app.app.database.db.selectFrom('voucher_target').select(['failures', 'last_error']).execute();
  expect(targets.map(({ failures }) => failures > 5)).toEqual([true, true, true, true]);
  const counted = countStatements();
  const { fileId } = await storeProxied(ada, randomBytes(2000));
  await app.drain();
  expect(openProof(await exportProof(ada, fileId)).manifest.proofId).toMatch(/^rp-proof-/);
  expect([...counted.texts.keys()].filter(text => text.includes('voucher'))).toEqual([]);
});
