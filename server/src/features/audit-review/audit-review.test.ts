// Review of the audit log by administrators: overview, filters, pages, statistics, exports, settings, tenant isolation.
import { gunzipSync } from 'node:zlib';
import * as figuresApi from '@recordproof/shared/api/audit-figures.ts';
import * as api from '@recordproof/shared/api/audit-review.ts';
import * as authApi from '@recordproof/shared/api/auth.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { afterStatement } from '../../../../test/support/after-statement.ts';
import { type Person, startOfTests, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { changeAuditTexts } from '../../../../test/support/audit-rows.ts';
import { openConfiguredStore } from '../../../../test/support/configured-store.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { listen } from '../../../../test/support/event-streams.ts';
import { accountOf } from '../../../../test/support/events.ts';
import { onInsert } from '../../../../test/support/on-insert.ts';
import { readParts } from '../../../../test/support/spreadsheets.ts';
import { localCall } from '../../platform/call.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { type AuditEntry, appendAudits, cutChain, findAnchor, verifyAuditChain } from '../audit/index.ts';
import { cutJob, toCutJob } from './back-up-logs.ts';
import { findUncoveredCut } from './index.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const page = (input: Partial<{ page: number; size: number; sort: string }> = {}) => ({ query: input });

type Made = Partial<AuditEntry> & {
  readonly at?: number;
  readonly by?: { id: number; name: string };
  readonly ip?: string;
};

/** Rows as if they had been written at their times. */
async function write({ app }: TestApp, tenantId: number, rows: readonly Made[]): Promise<void> {
  for (const { at = startOfTests, by, ip, ...entry } of rows) {
    const actor = { tenantId, userId: by?.id ?? null, username: by?.name ?? null };
    const call = { ...localCall('test', tenantId, at), ip: ip ?? 'local', actor };
    const full = { module: 'files', operation: 'store', description: 'a row', ...entry };
    await app.database.db.transaction().execute(tx => appendAudits(tx, [{ call, entry: full }], at));
  }
}

async function openOffice(app: TestApp) {
  const root = await app.person('root', { role: 'admin' });
  const { tenantId, userId } = await accountOf(app, 'root');
  return { root, tenantId, userId, write: (rows: readonly Made[]) => write(app, tenantId, rows) };
}

/** With a backup of all rows that are old enough to be deleted. */
async function openBackedUp(app: TestApp) {
  const { root, tenantId } = await openOffice(app);
  app.clock.advance(200 * day);
  await root.login('root', testPassword);
  const { backup } = await root.call(api.backUpAuditLogs, { body: {} });
  return { tenantId, db: app.app.database.db, backup };
}

const times = (count: number, toRow: (index: number) => Made): Made[] =>
  Array.from({ length: count }, (_n, at) => toRow(at));

const exported = async (person: Person, body: object = {}) =>
  Buffer.from(
    await (
      await person.fetch(api.exportAuditLogs.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).arrayBuffer(),
  );

eachApp(start => {
  test('the overview counts all rows, today and the last seven days, before and after aggregation', async () => {
    await using app = await start();
    const { root, write, userId } = await openOffice(app);
    const before = await root.call(figuresApi.getAuditOverview);
    const by = { id: userId, name: 'root' };
    await write([
      ...times(3, () => ({ by })),
      { module: 'accounts', operation: 'change-role', by },
      { operation: 'delete', errorMessage: 'refused', at: startOfTests - day },
      { at: startOfTests - 30 * day },
    ]);
    const check = async () => {
      const told = await root.call(figuresApi.getAuditOverview);
      expect(told).toMatchObject({
        totalOperations: before.totalOperations + 6,
        todayOperations: before.todayOperations + 4,
        totalErrorOperations: before.totalErrorOperations + 1,
        todayErrorOperations: before.todayErrorOperations,
        todaySensitiveOperations: before.todaySensitiveOperations + 1,
        todayActiveUsers: 1,
        highFrequencyAlerts: 0,
        auditEnabled: true,
        logRetentionDays: 180,
      });
      expect(told.dailyStats).toHaveLength(7);
      expect(told.dailyStats[5]).toEqual({ date: '2026-01-30', operationCount: 1, errorCount: 1, sensitiveCount: 1 });
      expect(told.dailyStats[6]).toMatchObject({ date: '2026-01-31', operationCount: before.todayOperations + 4 });
    };
    await check();
    app.clock.advance(2 * minute);
    await app.drain();
    const { rows } = await sql<{ n: number }>`select position as n from audit_counted`.execute(app.app.database.db);
    expect(rows[0]?.n).toBeGreaterThanOrEqual(6);
    await check();
  });

  test('rows are found by every filter, in the query string and in a body', async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    const ada = { id: 900, name: 'ada' };
    await write([
      { by: ada, ip: '192.0.2.7', at: startOfTests + 1000 },
      { by: ada, operation: 'delete', at: startOfTests + 2000 },
      { by: { id: 901, name: 'bob' }, module: 'shares', operation: 'create', at: startOfTests + 3000 },
      {
        by: { id: 901, name: 'bob' },
        module: 'shares',
        operation: 'cancel',
        errorMessage: 'no',
        at: startOfTests + 4000,
      },
    ]);
    const find = async (filter: object) => {
      const asked = await root.call(api.listAuditLogs, { query: filter });
      expect(await root.call(api.searchAuditLogs, { body: filter })).toEqual(asked);
      return asked.records.map(row => `${row.username} ${row.module}.${row.operationType}`);
    };
    expect(await find({ userId: '900' })).toEqual(['ada files.delete', 'ada files.store']);
    expect(await find({ username: 'bob', status: 1 })).toEqual(['bob shares.cancel']);
    expect(await find({ username: 'bob', status: 0 })).toEqual(['bob shares.create']);
    expect(await find({ module: 'shares' })).toEqual(['bob shares.cancel', 'bob shares.create']);
    expect(await find({ module: 'shares', sort: 'operationTime,asc' })).toEqual([
      'bob shares.create',
      'bob shares.cancel',
    ]);
    expect(await find({ operationType: 'delete' })).toEqual(['ada files.delete']);
    expect(await find({ module: 'shares', userId: '900' })).toEqual([]);
    expect(await find({ module: 'nothing' })).toEqual([]);
    expect(await find({ requestIp: '192.0.2.7' })).toEqual(['ada files.store']);
    const [from, to] = [startOfTests + 2000, startOfTests + 3000].map(at => new Date(at).toISOString());
    expect(await find({ startTime: from, endTime: to })).toEqual(['bob shares.create', 'ada files.delete']);
    const second = await root.call(api.listAuditLogs, { query: { module: 'shares', pageNum: 2, pageSize: 1 } });
    expect(second).toMatchObject({ total: 2, current: 2, size: 1, pages: 2 });
    expect(second.records[0]).toMatchObject({ operationType: 'create', status: 0, errorMsg: null, userId: '901' });
  });

  test.each([api.searchAuditLogs, api.listSensitiveOperations, api.exportAuditLogs, api.backUpAuditLogs])(
    '$name accepts a missing body as one without fields',
    async ({ path }) => {
      await using app = await start();
      const root = await app.person('root', { role: 'admin' });
      const answer = await root.fetch(path, { method: 'POST' });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer(); // an unread answer would hold the server open
    },
  );

  test('rows are paged in both directions, and a single row is returned with its hashes', async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    await write(times(25, index => ({ at: startOfTests + minute, description: `row ${index}` })));
    const first = await root.call(api.listAuditLogs, page({ size: 10 }));
    expect(first.records[0]?.description).toBe('row 24');
    const last = await root.call(api.listAuditLogs, page({ size: 10, page: first.pages }));
    const oldest = await root.call(api.listAuditLogs, page({ size: 10, sort: 'operationTime,asc' }));
    expect(oldest.records[0]).toEqual(last.records.at(-1));
    const id = first.records[0]?.id ?? '';
    const shown = await root.call(api.getAuditLog, { params: { id } });
    expect(shown).toMatchObject({ ...first.records[0], position: first.total });
    expect(shown.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await root.expectError(api.getAuditLog, { params: { id: '999999' } })).toMatchObject({ code: 50001 });
  });

  test('pages are ordered by time in both directions, regardless of the order in the chain', async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    await write([5, 3, 9, 1, 7, 2, 8].map(at => ({ at: startOfTests - at * minute, description: `row ${at}` })));
    const readAll = async (direction: 'asc' | 'desc') => {
      const sort = `operationTime,${direction}`;
      const first = await root.call(api.listAuditLogs, page({ size: 2, sort }));
      const rest = Array.from({ length: first.pages - 1 }, (_n, at) =>
        root.call(api.listAuditLogs, page({ size: 2, page: at + 2, sort })),
      );
      return [first, ...(await Promise.all(rest))].flatMap(({ records }) => records);
    };
    const ascending = await readAll('asc');
    const made = ascending.flatMap(({ description }) => (description.startsWith('row ') ? [description] : []));
    expect(made).toEqual([9, 8, 7, 5, 3, 2, 1].map(at => `row ${at}`));
    expect(ascending.map(row => row.operationTime)).toEqual(ascending.map(row => row.operationTime).sort());
    expect((await readAll('desc')).map(({ id }) => id)).toEqual(ascending.map(({ id }) => id).reverse());
    const behind = await root.call(api.listAuditLogs, page({ size: 2, page: 99 }));
    expect([behind.records, behind.total]).toEqual([[], ascending.length]);
  });

  test('no response contains rows of another tenant', async () => {
    await using app = await start();
    const { write } = await openOffice(app);
    const other = await app.person('other', { role: 'admin', tenant: 'elsewhere' });
    const own = await other.call(figuresApi.getAuditOverview);
    const by = { id: 900, name: 'ada' };
    await write(times(150, () => ({ by, ip: '192.0.2.7', operation: 'delete', errorMessage: 'no' })));
    await write(
      times(9, () => ({ module: 'auth', operation: 'login', errorMessage: 'no', param: { username: 'ada' } })),
    );
    expect(await other.call(figuresApi.getAuditOverview)).toEqual(own);
    expect((await other.call(api.listAuditLogs, { query: { userId: '900' } })).total).toBe(0);
    expect((await other.call(api.listSensitiveOperations, { body: { operationType: 'delete' } })).total).toBe(0);
    expect(await other.call(figuresApi.listHighFrequency, { query: {} })).toEqual([]);
    expect(await other.call(figuresApi.listAuditErrors, { query: {} })).toEqual([]);
    expect(await other.call(figuresApi.getTimeDistribution, { query: { userId: '900' } })).toEqual([]);
    expect(await other.call(figuresApi.checkAnomalies)).toMatchObject({ hasAnomalies: false });
    expect((await exported(other)).toString('latin1')).not.toContain('192.0.2.7');
  });

  test('sensitive operations are those of the configured modules and all deletions', async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    const rows = [
      { module: 'tickets', operation: 'reply' },
      { module: 'files', operation: 'delete' },
      { module: 'key-rotation', operation: 'start-run' },
      { module: 'files', operation: 'store' },
    ];
    await write(rows.map((row, index) => ({ ...row, at: startOfTests + index * 1000 })));
    const list = async (body: object = {}) =>
      (await root.call(api.listSensitiveOperations, { body })).records.map(row => `${row.module}.${row.operationType}`);
    expect(await list()).toEqual(expect.arrayContaining(['key-rotation.start-run', 'files.delete']));
    expect(await list()).not.toContain('tickets.reply');
    expect(await list({ module: 'files' })).toEqual(['files.delete']);
    await root.call(figuresApi.putAuditConfig, { body: { configKey: 'SENSITIVE_MODULES', configValue: 'tickets' } });
    expect(await list()).toEqual(['files.delete', 'tickets.reply']);
  });

  test('settings have defaults, reject invalid values, and each change is audited', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const { root } = await openOffice(app);
    const monitor = await app.person('eye', { role: 'monitor' });
    const configs = await monitor.call(figuresApi.listAuditConfigs);
    expect(configs.map(({ configKey, configValue }) => [configKey, configValue])).toEqual([
      ['AUDIT_ENABLED', 'true'],
      ['LOG_RETENTION_DAYS', '180'],
      ['SENSITIVE_MODULES', 'accounts,audit,crypto-policy,key-rotation'],
      ['HIGH_FREQ_THRESHOLD', '100'],
      ['FAILED_LOGIN_THRESHOLD', '5'],
      ['ERROR_RATE_THRESHOLD', '10'],
    ]);
    const put = { body: { configKey: 'HIGH_FREQ_THRESHOLD', configValue: 7 } } as const;
    expect(await monitor.expectError(figuresApi.putAuditConfig, put)).toMatchObject({ status: 403 });
    const changed = await root.call(figuresApi.putAuditConfig, put);
    expect(await root.call(figuresApi.putAuditConfig, put)).toEqual(changed);
    expect(changed.find(({ configKey }) => configKey === 'HIGH_FREQ_THRESHOLD')?.configValue).toBe('7');
    const wrong = { configKey: 'LOG_RETENTION_DAYS', configValue: '-1' } as const;
    expect(await root.expectError(figuresApi.putAuditConfig, { body: wrong })).toMatchObject({ status: 400 });
    const { records } = await root.call(api.listAuditLogs, { query: { module: 'audit', operationType: 'put-config' } });
    expect(records.map(row => JSON.parse(row.requestParam))).toEqual([
      { configKey: 'HIGH_FREQ_THRESHOLD', from: '100', to: '7' },
    ]);
  });

  test('errors are counted by message, and operations by hour', async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    const rejected = { errorMessage: 'no room', at: startOfTests - day };
    await write([
      rejected,
      rejected,
      { ...rejected, errorMessage: 'no quota' },
      { ...rejected, at: startOfTests - 8 * day },
    ]);
    const errors = await root.call(figuresApi.listAuditErrors, { query: {} });
    expect(errors.map(one => [one.errorMsg, one.errorCount])).toEqual([
      ['no room', 2],
      ['no quota', 1],
    ]);
    const endTime = new Date(startOfTests - 20 * minute - day + 60 * minute).toISOString();
    const span = { startTime: new Date(startOfTests - 2 * day).toISOString(), endTime };
    // 30 January 2026 was a Friday.
    const friday = [{ dayOfWeek: 5, hourOfDay: 12, operationCount: 3 }];
    expect(await root.call(figuresApi.getTimeDistribution, { query: span })).toEqual(friday);
    app.clock.advance(minute);
    await app.drain();
    expect(await root.call(figuresApi.getTimeDistribution, { query: span })).toEqual(friday);
  });

  test('anomalies are notified to administrators and monitors once', async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    await app.person('ada');
    const monitor = await app.person('eye', { role: 'monitor' });
    for (const username of ['ada', 'Ada', 'ADA', 'aDa', 'ada'])
      await app.anonymous.expectError(authApi.login, { body: { username, password: 'wrong password' } });
    await write(times(120, () => ({ by: { id: 900, name: 'bob' }, ip: '192.0.2.7' })));
    const found = await monitor.call(figuresApi.checkAnomalies);
    expect(found.hasAnomalies).toBe(true);
    expect(found.anomalyDetails.failedLoginUsers).toMatchObject([{ username: 'ada', failedCount: 5 }]);
    expect(found.anomalyDetails.highFrequencyUsers).toMatchObject([
      { userId: '900', username: 'bob', requestIp: '192.0.2.7', operationCount: 120 },
    ]);
    expect((await root.call(figuresApi.getAuditOverview)).highFrequencyAlerts).toBe(1);
    using listener = await listen(root);
    using watcher = await listen(monitor);
    for (let ticks = 0; ticks < 4; ticks += 1) {
      app.clock.advance(minute + 1000);
      await app.drain();
    }
    for (const ears of [listener, watcher]) {
      for (const kind of ['HIGH_FREQUENCY', 'FAILED_LOGINS'])
        await ears.until('audit-alert', message => message.type === 'audit-alert' && message.payload.kind === kind);
      expect(ears.messages.filter(({ type }) => type === 'audit-alert')).toHaveLength(2);
    }
    const { rows } = await sql<{ alerts: number }>`
      select count(*) as alerts from audit_alert`.execute(app.app.database.db);
    expect(rows[0]?.alerts).toBe(2);
    expect((await root.call(figuresApi.listHighFrequency, { query: {} })).length).toBe(1);
  });

  test('a tenant whose log cannot be read does not block other tenants, and the job reports the error', async () => {
    await using app = await start();
    const { tenantId } = await openOffice(app);
    await app.person('chief', { role: 'admin', tenant: 'acme' });
    const { tenantId: acme } = await accountOf(app, 'chief');
    const { database } = app.app;
    const rejected = "insert into schedule (name, next_at) values ('refused', null)";
    await using _broken = await onInsert(database, 'audit_day', `new.tenant_id = ${tenantId}`, [rejected]);
    app.clock.advance(minute + 1000);
    await app.drain();
    const counted = await database.db.selectFrom('audit_counted').selectAll().execute();
    expect(counted.filter(({ position }) => position > 0).map(({ tenant_id: id }) => id)).toEqual([acme]);
    const jobs = database.db.selectFrom('job').select('last_error').where('kind', '=', 'audit-review.watch');
    expect(await jobs.execute()).toEqual([{ last_error: expect.stringContaining('audit logs of 1 tenants') }]);
  });

  test('the list of high-frequency users is limited to the busiest hundred', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    await root.call(figuresApi.putAuditConfig, { body: { configKey: 'HIGH_FREQ_THRESHOLD', configValue: 2 } });
    const busy = times(102, at => ({ by: { id: 900 + at, name: `bob-${at}` }, ip: '192.0.2.7' }));
    await write([...busy, ...busy, ...busy.slice(0, 50)]);
    const found = await root.call(figuresApi.listHighFrequency, { query: {} });
    expect(found).toHaveLength(100);
    expect(found.slice(0, 50).every(({ operationCount }) => operationCount === 3)).toBe(true);
  });

  test('an exported spreadsheet contains the filtered rows and no formulas', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const { root, write } = await openOffice(app);
    await write(times(5, index => ({ description: `=cmd()|${index}`, module: 'shares' })));
    const book = await exported(root, { module: 'shares' });
    expect(book.subarray(0, 2).toString()).toBe('PK');
    const { total, records } = await root.call(api.listAuditLogs, {
      query: { module: 'audit', operationType: 'export' },
    });
    expect([total, records[0]?.description]).toEqual([1, '5 of 5 rows of the audit log exported']);
    const { total: before } = await root.call(api.listAuditLogs, { query: {} });
    const sheet = readParts(await exported(root)).get('xl/worksheets/sheet1.xml') ?? '';
    expect(sheet.match(/<row/g)).toHaveLength(before + 1); // the heading, and not the row that says so
    const [newest] = (await root.call(api.listAuditLogs, { query: {} })).records;
    expect(newest?.description).toBe(`${before} of ${before} rows of the audit log exported`);
  });

  test('a backup is signed, rows are deleted only with one, and the chain stays valid after the cut', async () => {
    await using app = await start();
    const { root, tenantId, write } = await openOffice(app);
    const { db } = app.app.database;
    expect(await root.call(api.backUpAuditLogs, { body: {} })).toEqual({ backup: null, complete: true });
    const kept = (await root.call(api.listAuditLogs, page())).total;
    app.clock.advance(200 * day);
    await root.login('root', testPassword);
    await write(times(3, () => ({ at: app.clock.now() })));
    const { backup, complete } = await root.call(api.backUpAuditLogs, { body: {} });
    expect(complete).toBe(true);
    expect(backup).toMatchObject({ firstPosition: 1, lastPosition: kept, rowCount: kept, deleted: false });
    await app.drain();
    expect(await findAnchor(db, tenantId)).toMatchObject({ position: 0 });
    const file = await root.fetch(api.downloadAuditBackup.path.replace('{id}', backup?.backupId ?? ''));
    const lines = gunzipSync(Buffer.from(await file.arrayBuffer()))
      .toString()
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(kept + 1);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      statement: {
        schema: 'recordproof.audit-backup.v1',
        firstPosition: 1,
        lastPosition: kept,
        lastHash: backup?.lastHash,
      },
      jws: expect.stringMatching(/^ey/),
    });
    const overview = await root.call(figuresApi.getAuditOverview);
    expect(await root.call(api.backUpAuditLogs, { body: { deleteAfterBackup: true } })).toMatchObject({ backup: null });
    await app.drain();
    expect(await findAnchor(db, tenantId)).toEqual({ position: kept, hash: backup?.lastHash });
    expect((await verifyAuditChain(db, tenantId)).brokenAt).toBeNull();
    expect(await findUncoveredCut(db, tenantId)).toBeNull();
    expect((await root.call(figuresApi.getAuditOverview)).totalOperations).toBe(overview.totalOperations + 1);
    const { records } = await root.call(api.listAuditLogs, page({ size: 100, sort: 'operationTime,asc' }));
    const first = await root.call(api.getAuditLog, { params: { id: records[0]?.id ?? '' } });
    expect(first).toMatchObject({ position: kept + 1, previousHash: backup?.lastHash });
    await db
      .updateTable('audit_anchor')
      .set({ position: kept + 1, hash: first.hash })
      .execute();
    await db
      .deleteFrom('audit_log')
      .where('position', '=', kept + 1)
      .execute();
    expect((await verifyAuditChain(db, tenantId)).brokenAt).toBeNull();
    expect(await findUncoveredCut(db, tenantId)).toBe(`rows up to ${kept + 1} are gone without a backup`);
  });

  test('a waiting job also deletes the rows of later backups', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const { root, tenantId } = await openOffice(app);
    const { db } = app.app.database;
    const waiting = { ...toCutJob(tenantId), runAt: startOfTests + 500 * day };
    await db.transaction().execute(tx => enqueue(tx, waiting, startOfTests));
    const body = { deleteAfterBackup: true };
    for (const _year of ['first', 'second']) {
      app.clock.advance(200 * day);
      await root.login('root', testPassword);
      expect((await root.call(api.backUpAuditLogs, { body })).backup).toMatchObject({ deleted: true });
      await app.drain();
      expect(await findAnchor(db, tenantId)).toMatchObject({ position: 0 });
    }
    const { records, total } = await root.call(api.listAuditBackups, { query: {} });
    expect(total).toBe(2);
    app.clock.advance(101 * day);
    await app.drain();
    expect(await findAnchor(db, tenantId)).toMatchObject({ position: records[0]?.lastPosition });
  });

  test('rows that are deleted during a check of the cut are not reported', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const { tenantId, db, backup } = await openBackedUp(app);
    const interrupted = afterStatement(db, 3, () =>
      db.transaction().execute(tx => cutChain(tx, tenantId, backup?.lastPosition ?? 0, 1000)),
    );
    expect(await findUncoveredCut(interrupted, tenantId)).toBeNull();
    expect(await findAnchor(db, tenantId)).toMatchObject({ position: backup?.lastPosition });
  });

  test('a row that is missing before its deletion aborts the deletion', async () => {
    await using app = await start();
    const { tenantId, db, backup } = await openBackedUp(app);
    await db
      .deleteFrom('audit_log')
      .where('position', '=', backup?.lastPosition ?? 0)
      .execute();
    await db.updateTable('audit_backup').set({ deleted: 1 }).execute();
    const run = cutJob({ database: app.app.database }).run({
      id: 1,
      payload: { tenantId },
      attempt: 1,
      fence: 1,
      signal: new AbortController().signal,
      keepLease: async () => undefined,
      assertFence: async () => undefined,
    });
    await expect(run).rejects.toThrow('lacks a row');
    expect(await findAnchor(db, tenantId)).toMatchObject({ position: 0 });
  });

  test('concurrent backups of the same rows write one backup and leave no objects of the others', async () => {
    await using app = await start();
    const { root } = await openOffice(app);
    app.clock.advance(200 * day);
    await root.login('root', testPassword);
    const body = { deleteAfterBackup: true };
    const rivals = await Promise.allSettled(times(5, () => ({})).map(() => root.call(api.backUpAuditLogs, { body })));
    await app.drain();
    const made = rivals.flatMap(one => (one.status === 'fulfilled' && one.value.backup ? [one.value.backup] : []));
    expect(made).toHaveLength(1);
    const rejected = rivals.flatMap(one => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(rejected.every(code => code === 409)).toBe(true);
    expect((await root.call(api.listAuditBackups, { query: {} })).total).toBe(1);
    await using objects = await openConfiguredStore(app.config);
    expect(await Array.fromAsync(objects.list('audit-backups/'))).toHaveLength(1);
  });

  test.each(['deleted', 'inserted', 'edited', 'reordered'])(
    'a row that was %s is detected, also after a cut',
    async how => {
      await using app = await start();
      const { root, tenantId, write } = await openOffice(app);
      const { db } = app.app.database;
      app.clock.advance(200 * day);
      await root.login('root', testPassword);
      await root.call(api.backUpAuditLogs, { body: { deleteAfterBackup: true } });
      await app.drain();
      await write(times(6, index => ({ description: `row ${index}`, at: app.clock.now() })));
      const { length } = await db
        .selectFrom('audit_head')
        .select('length')
        .where('tenant_id', '=', tenantId)
        .executeTakeFirstOrThrow();
      const at = length - 3;
      const rows = db.updateTable('audit_log').where('tenant_id', '=', tenantId);
      const changes: Readonly<Record<string, () => Promise<unknown>>> = {
        deleted: () =>
          db.deleteFrom('audit_log').where('tenant_id', '=', tenantId).where('position', '=', at).execute(),
        edited: () => changeAuditTexts(db, { tenant_id: tenantId, position: at }, { description: 'nothing' }),
        inserted: async () => {
          const row = await db
            .selectFrom('audit_log')
            .selectAll()
            .where('position', '=', length)
            .executeTakeFirstOrThrow();
          const { id: _id, ...copy } = row;
          await db
            .insertInto('audit_log')
            .values({ ...copy, position: length + 1 })
            .execute();
        },
        reordered: async () => {
          await rows.set({ position: -1 }).where('position', '=', at).execute();
          await rows
            .set({ position: at })
            .where('position', '=', at + 1)
            .execute();
          await rows
            .set({ position: at + 1 })
            .where('position', '=', -1)
            .execute();
        },
      };
      expect((await verifyAuditChain(db, tenantId)).brokenAt).toBeNull();
      await changes[how]?.();
      const { brokenAt } = await verifyAuditChain(db, tenantId);
      expect(brokenAt).toBe(how === 'inserted' ? length + 1 : at);
    },
  );

  test('users have no access to the audit review', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const ada = await app.person('ada');
    expect(await ada.expectError(figuresApi.getAuditOverview)).toMatchObject({ status: 403 });
    expect(await ada.expectError(api.listAuditLogs, { query: {} })).toMatchObject({ status: 403 });
  });
});
