// Audit of rejected calls: one row per subject and minute with a count, over several servers, sealed by the chain.
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as figuresApi from '@recordproof/shared/api/audit-figures.ts';
import * as auditApi from '@recordproof/shared/api/audit-review.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as logsApi from '@recordproof/shared/api/share-logs.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { share, storeFile } from '../../../../test/support/shares.ts';
import { startDirect } from '../../../../test/support/uploads.ts';
import { localCall } from '../../platform/call.ts';
import { appendAudit, type Rejection, sealRejections, verifyAuditChain } from './index.ts';
import { RejectionLog } from './rejection-log.ts';

const minute = 60_000;

let app: TestApp;
let root: Person;
let ada: Person;
let tenantId: number;

beforeEach(async () => {
  app = await startApp();
  root = await app.person('root', { role: 'admin' });
  ada = await app.person('ada');
  const query = app.app.database.db.selectFrom('tenant').select('id').orderBy('id').limit(1);
  tenantId = (await query.executeTakeFirstOrThrow()).id;
});
afterEach(async () => {
  expect((await verify()).brokenAt).toBeNull();
  await app[Symbol.asyncDispose]();
});

const verify = () => verifyAuditChain(app.app.database.db, tenantId);

async function rejected() {
  const { records } = await root.call(auditApi.listAuditLogs, { query: { status: 1, size: 100 } });
  return records.map(({ module, operationType, errorMsg, username, repeated }) => ({
    module,
    operationType,
    errorMsg,
    username,
    repeated,
  }));
}

const setConfig = (person: Person) =>
  person.expectError(figuresApi.putAuditConfig, { body: { configKey: 'LOG_RETENTION_DAYS', configValue: '9' } });

test('a rejected call is audited at once, and repetitions within a minute increment its count', async () => {
  for (let count = 0; count < 4; count += 1) expect((await setConfig(ada)).status).toBe(403);
  const row = { module: 'audit-review', operationType: 'putAuditConfig', username: 'ada' };
  expect(await rejected()).toEqual([{ ...row, errorMsg: expect.any(String), repeated: 3 }]);
  app.clock.advance(minute);
  expect((await setConfig(ada)).status).toBe(403);
  expect((await rejected()).map(({ repeated }) => repeated)).toEqual([0, 3]);
});

test('rejected writes and administration calls of accounts are audited; other rejections are not', async () => {
  const { fileHash } = await storeFile(ada);
  const { shareCode: code } = await share(ada, fileHash);
  expect((await ada.expectError(accessApi.saveSharedFiles, { params: { code } })).status).toBe(409);
  expect((await ada.expectError(figuresApi.getAuditOverview)).status).toBe(403);
  expect((await root.expectError(figuresApi.putAuditConfig, { body: {} as never })).status).toBe(400);
  expect((await ada.expectError(logsApi.getShareStats, { params: { code: 'nothere00000' } })).status).toBe(404);
  expect((await app.anonymous.expectError(figuresApi.getAuditOverview)).status).toBe(401);
  const rows = await rejected();
  expect(rows.map(({ operationType }) => operationType)).toEqual(['getAuditOverview', 'saveSharedFiles']);
  const all = await listAuditRows(app.app.database.db, { status: 1 });
  expect(all.map(row => row.request_url)).toContain(accessApi.saveSharedFiles.path.replace('{code}', ':code'));
  expect(JSON.stringify(all), 'a code of a share opens it').not.toContain(code);
});

test('rejections are audited also where rejected calls have a rate class of their own', {
  tags: 'long-on-postgres',
}, async () => {
  const { clientId } = await startDirect(ada, new Uint8Array(4096));
  const other = startDirect(ada, new Uint8Array(8192), { clientId });
  await expect(other).rejects.toMatchObject({ status: 409 });
  expect((await rejected()).map(({ operationType }) => operationType)).toEqual(['startDirectUpload']);
});

test('a minute that began before the clock was set back by more than that is closed', {
  tags: 'long-on-postgres',
}, async () => {
  app.clock.advance(5 * minute);
  await setConfig(ada);
  await setConfig(ada);
  app.clock.advance(-5 * minute);
  await setConfig(ada);
  expect((await rejected()).map(({ repeated }) => repeated).sort()).toEqual([0, 1]);
  app.clock.advance(5 * minute);
  await setConfig(ada);
  app.clock.advance(-5 * minute);
  await sealRejections(app.app.database, tenantId, app.clock.now());
  expect(await app.app.database.db.selectFrom('audit_refusal').selectAll().execute()).toEqual([]);
});

test('sign-ins to a locked account are audited in a bounded number of rows and count as failed', {
  tags: 'long-on-postgres',
}, async () => {
  const logIn = () => app.anonymous.expectError(api.login, { body: { username: 'ada', password: 'a guess' } });
  for (let count = 0; count < 5; count += 1) expect((await logIn()).status).toBe(401);
  for (let count = 0; count < 7; count += 1) expect((await logIn()).status).toBe(403);
  const rows = (await rejected()).filter(({ operationType }) => operationType === 'login');
  expect(rows.map(({ repeated }) => repeated)).toEqual([6, 0, 0, 0, 0, 0]);
  const { anomalyDetails } = await root.call(figuresApi.checkAnomalies);
  expect(anomalyDetails.failedLoginUsers).toMatchObject([{ username: 'ada', failedCount: 12 }]);
});

test('guesses of the password of a locked account from inside a session are audited in one row', {
  tags: 'long-on-postgres',
}, async () => {
  const guess = { body: { oldPassword: 'a guess', newPassword: 'a new password' } };
  for (let count = 0; count < 8; count += 1) await ada.expectError(accountsApi.changePassword, guess);
  const locked = (await rejected()).filter(({ operationType }) => operationType === 'changePassword');
  expect(locked.map(({ repeated }) => repeated)).toEqual([2]);
});

test('figures and the alert count every rejection, also those repeated after aggregation', async () => {
  for (let count = 0; count < 30; count += 1) await setConfig(ada);
  const seen = async () => {
    const errors = await root.call(figuresApi.listAuditErrors, { query: {} });
    const { totalErrorOperations, todayErrorOperations } = await root.call(figuresApi.getAuditOverview);
    const { anomalyDetails } = await root.call(figuresApi.checkAnomalies);
    return [errors[0]?.errorCount, totalErrorOperations, todayErrorOperations, anomalyDetails.errorRatePercent > 50];
  };
  expect(await seen()).toEqual([30, 30, 30, true]);
  await app.drain(); // the watch counts rows
  await setConfig(ada);
  expect(await seen()).toEqual([31, 31, 31, true]);
  app.clock.advance(2 * minute);
  await app.drain();
  expect(await seen()).toEqual([31, 31, 31, true]);
  const alerts = await app.app.database.db.selectFrom('audit_alert').select('kind').execute();
  expect(alerts.map(({ kind }) => kind)).toContain('ERROR_RATE');
});

const rejection = (subject: string): Rejection => ({
  call: localCall('test', tenantId, app.clock.now()),
  entry: { module: 'test', operation: subject, description: 'refused', errorMessage: 'no' },
  subject,
});

test('concurrent rejections on several servers are audited in one row per subject that counts the others', async () => {
  const servers = [1, 2, 3].map(() => new RejectionLog(app.app.server));
  const { db } = app.app.database;
  await Promise.all(
    servers.flatMap(server =>
      Array.from({ length: 20 }, async (_, at) => {
        await server.record(rejection(`subject-${at % 2}`));
        const call = localCall('test', tenantId, app.clock.now());
        const entry = { module: 'test', operation: 'other', description: 'done' };
        await db.transaction().execute(tx => appendAudit(tx, call, entry, app.clock.now()));
      }),
    ),
  );
  const rows = await db
    .selectFrom('audit_log')
    .select(['operation_type', 'repeated'])
    .where('status', '=', 1)
    .execute();
  expect(rows.sort((a, b) => a.operation_type.localeCompare(b.operation_type))).toEqual([
    { operation_type: 'subject-0', repeated: 29 },
    { operation_type: 'subject-1', repeated: 29 },
  ]);
  expect((await verify()).brokenAt).toBeNull();
  app.clock.advance(minute);
  await Promise.all([...servers.map(server => server.record(rejection('subject-0'))), app.drain()]);
  await app.drain();
  const seals = await listAuditRows(db, { operation_type: 'seal-repetitions' });
  expect(seals.map(({ request_param }) => (JSON.parse(request_param) as { repeated: number }).repeated)).toEqual([
    29, 29,
  ]);
});

test('a count changed in the database is detected, before and after its minute is sealed', async () => {
  const { db } = app.app.database;
  const log = new RejectionLog(app.app.server);
  for (let count = 0; count < 3; count += 1) await log.record(rejection('one'));
  await log.record(rejection('two'));
  const [one, two] = await db.selectFrom('audit_log').selectAll().where('status', '=', 1).orderBy('position').execute();
  const set = (position: number | undefined, repeated: number) =>
    db
      .updateTable('audit_log')
      .set({ repeated })
      .where('position', '=', position ?? 0)
      .execute();
  const expectBroken = async (position: number | undefined, repeated: number, right: number) => {
    await set(position, repeated);
    expect((await verify()).brokenAt).toBe(position);
    await set(position, right);
    expect((await verify()).brokenAt).toBeNull();
  };
  await expectBroken(one?.position, 1, 2);
  app.clock.advance(minute);
  await app.drain();
  expect(await db.selectFrom('audit_refusal').selectAll().execute()).toEqual([]);
  await expectBroken(one?.position, 1, 2);
  await expectBroken(one?.position, 0, 2);
  await expectBroken(two?.position, 5, 0);
});

test('repeated rows are verified with one query for many rows', { tags: 'long-on-postgres' }, async () => {
  const { db } = app.app.database;
  const log = new RejectionLog(app.app.server);
  let queries = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const countQueries = async () => {
    queries = 0;
    expect((await verifyAuditChain(counted, tenantId)).brokenAt).toBeNull();
    return queries;
  };
  for (let count = 0; count < 2; count += 1) await log.record(rejection('first'));
  const before = await countQueries();
  for (let subject = 0; subject < 30; subject += 1)
    for (let count = 0; count < 2; count += 1) await log.record(rejection(`subject-${subject}`));
  expect(await countQueries()).toBe(before);
});
