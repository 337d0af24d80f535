// Heads of audit chains on the ledger: recording once a minute, and detection of a rewritten log.
import { expect, test } from 'vitest';
import { afterStatement } from '../../../../test/support/after-statement.ts';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { accountOf } from '../../../../test/support/events.ts';
import { readEntries } from '../../../../test/support/ledger-entries.ts';
import { localCall } from '../../platform/call.ts';
import { appendAudit, cutChain, findAuditHead } from '../audit/index.ts';
import { findHeadProblem, recordAuditHead } from './record-head.ts';

const minute = 60_000;

async function act({ app, clock }: TestApp, tenantId: number): Promise<void> {
  const now = clock.now();
  const entry = { module: 'files', operation: 'store', description: 'a row' };
  await app.database.db.transaction().execute(tx => appendAudit(tx, localCall('test', tenantId, now), entry, now));
}

const headsOf = async ({ app }: TestApp) => {
  const rows = (await readEntries(app.database.db)).filter(({ kind }) => kind === 'AUDIT_HEAD');
  return rows.map(({ entry }) => JSON.parse(entry) as { tenantDigest: string; sequence: number; headHash: string });
};

test('the head of the audit log is recorded on the ledger once a minute while rows arrive', async () => {
  await using app = await startApp();
  await app.person('root', { role: 'admin' });
  const { tenantId } = await accountOf(app, 'root');
  const { server, database } = app.app;
  await app.drain();
  const before = (await headsOf(app)).length;
  for (let time = 0; time < 3; time += 1) {
    app.clock.advance(minute);
    await act(app, tenantId);
    await Promise.all([1, 2, 3].map(() => recordAuditHead(server, tenantId)));
    await act(app, tenantId);
    await recordAuditHead(server, tenantId);
  }
  const heads = (await headsOf(app)).slice(before);
  expect(heads).toHaveLength(3);
  app.clock.advance(minute);
  await recordAuditHead(server, tenantId);
  app.clock.advance(minute);
  await recordAuditHead(server, tenantId);
  const [last] = (await headsOf(app)).slice(before + 3);
  const { position, hash } = await findAuditHead(database.db, tenantId);
  expect(last).toMatchObject({ sequence: position, headHash: hash });
  expect(await headsOf(app)).toHaveLength(before + 4);
  expect(new Set([...heads, last].map(head => head?.tenantDigest)).size).toBe(1);
});

test('the periodic job records the heads of all tenants', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  await app.person('root', { role: 'admin' });
  app.clock.advance(2 * minute);
  await app.drain();
  expect(await headsOf(app)).toHaveLength(1);
});

test('a rewritten log with a rewritten hash chain is detected by its ledger entry', async () => {
  await using app = await startApp();
  await app.person('root', { role: 'admin' });
  const { tenantId } = await accountOf(app, 'root');
  const { server, database } = app.app;
  const { db } = database;
  const findProblem = () => findHeadProblem(db, server.keys.pepper, tenantId);
  await act(app, tenantId);
  app.clock.advance(minute);
  await recordAuditHead(server, tenantId);
  expect(await findProblem()).toBeNull();
  const { position, hash } = await findAuditHead(db, tenantId);
  const forged = 'f'.repeat(64);
  await db
    .updateTable('audit_log')
    .set({ hash: Buffer.from(forged, 'hex') })
    .where('position', '=', position)
    .execute();
  await db.updateTable('audit_head').set({ hash: forged }).execute();
  expect(await findProblem()).toContain(`row ${position} is not the one`);
  await db
    .updateTable('audit_log')
    .set({ hash: Buffer.from(hash, 'hex') })
    .where('position', '=', position)
    .execute();
  await db
    .updateTable('audit_head')
    .set({ length: position - 1 })
    .execute();
  expect(await findProblem()).toContain('removed');
});

test('rows that are recorded or deleted during a check are not reported', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  await app.person('root', { role: 'admin' });
  const { tenantId } = await accountOf(app, 'root');
  const { server, database } = app.app;
  const recordNext = async () => {
    await act(app, tenantId);
    app.clock.advance(minute);
    await recordAuditHead(server, tenantId);
  };
  await recordNext();
  const recordAndCut = async () => {
    const { position } = await findAuditHead(database.db, tenantId);
    await recordNext();
    await database.db.transaction().execute(tx => cutChain(tx, tenantId, position, 1000));
  };
  for (let statement = 1; statement <= 5; statement += 1) {
    const interrupted = afterStatement(database.db, statement, recordAndCut);
    expect(await findHeadProblem(interrupted, server.keys.pepper, tenantId)).toBeNull();
  }
});
