// Appends to audit chains: concurrency, rollback, and hashes over any text.
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { localCall } from '../../platform/call.ts';
import { appendAudit, appendAudits, verifyAuditChain } from './index.ts';

const now = 1_700_000_000_000;

const entry = (description: string, param: Readonly<Record<string, unknown>> = {}) => ({
  module: 'audit',
  operation: 'test',
  description,
  param,
});

const dbOf = ({ app }: TestApp) => app.database.db;

const readChain = (app: TestApp, tenantId: number) => listAuditRows(dbOf(app), { tenant_id: tenantId });

test('concurrent appends to the chains of several tenants, also new ones, store each row once', async () => {
  await using app = await startApp();
  const tenants = [9001, 9002, 9003];
  const rivals = Array.from({ length: 24 }, (_, rival) =>
    dbOf(app)
      .transaction()
      .execute(async tx => {
        const order = rival % 2 === 0 ? tenants : tenants.toReversed();
        const notes = order.map(tenant => ({ call: localCall('test', tenant, now), entry: entry(`${rival} a`) }));
        await appendAudits(tx, notes, now);
        await appendAudit(tx, localCall('test', order[0] ?? 0, now), entry(`${rival} b`), now);
      }),
  );
  await Promise.all(rivals);
  for (const tenant of tenants) {
    const chain = await readChain(app, tenant);
    expect(await verifyAuditChain(dbOf(app), tenant)).toEqual({ rows: chain.length, brokenAt: null });
    const told = chain.map(({ description }) => description);
    expect(new Set(told).size).toBe(told.length);
    expect(told.filter(text => text.endsWith(' a'))).toHaveLength(24);
  }
  expect((await readChain(app, 9001)).length + (await readChain(app, 9003)).length).toBe(24 * 3);
});

test('rows appended in a transaction that is rolled back are not stored', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const call = localCall('test', 9001, now);
  const undone = dbOf(app)
    .transaction()
    .execute(async tx => {
      await appendAudit(tx, call, entry('undone'), now);
      throw new Error('changed my mind');
    });
  await expect(undone).rejects.toThrow('changed my mind');
  await dbOf(app)
    .transaction()
    .execute(tx => appendAudit(tx, call, entry('done'), now));
  expect((await readChain(app, 9001)).map(({ description }) => description)).toEqual(['done']);
});

test('a chain stays valid with quotes, other scripts and a surrogate pair cut at the limit', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const texts = ['"\\\n\t', '中文 ünï', '🦀', '\ud83d', '</script>\u2028', `${'x'.repeat(1990)}🦀`];
  await dbOf(app)
    .transaction()
    .execute(async tx => {
      for (const [index, text] of texts.entries()) {
        const cut = { name: 'x'.repeat(index), text: text.repeat(index === 2 ? 990 : 1) };
        await appendAudit(tx, localCall(text, 9001, now), { ...entry(text, cut), errorMessage: text }, now);
      }
    });
  for (let length = 0; length < 4; length += 1) {
    const param = { [`${'n'.repeat(length)}`]: '🦀'.repeat(1100) };
    await dbOf(app)
      .transaction()
      .execute(tx => appendAudit(tx, localCall('test', 9001, now), entry('cut', param), now));
  }
  expect(await verifyAuditChain(dbOf(app), 9001)).toEqual({ rows: texts.length + 4, brokenAt: null });
});
