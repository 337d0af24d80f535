// Notices and mails of component failures and burning budgets: once per change, by tenant and role.
import { rm } from 'node:fs/promises';
import { checkIntegrity } from '@recordproof/shared/api/integrity.ts';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { objectOf } from '../../../../test/support/integrity-world.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { reportChanges } from './watch-conditions.ts';

const minuteMs = 60_000;

/** What the people of a role were told of conditions, the oldest first. */
async function toldOf({ app }: TestApp): Promise<unknown[]> {
  const rows = await app.database.db
    .selectFrom('event')
    .selectAll()
    .where('type', '=', 'audit-alert')
    .orderBy('id')
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload));
}

async function passMinutes(app: TestApp, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    app.clock.advance(minuteMs);
    await app.drain();
  }
}

eachApp(start => {
  test('a component that goes DOWN is notified once, after two samples, and its recovery once', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start({ env: { HEALTH_OUTBOX_FAILED_DOWN: '0' } });
    await app.person('root', { role: 'admin' });
    await passMinutes(app, 3);
    expect(await toldOf(app)).toEqual([]);
    const { db } = app.app.database;
    await db
      .insertInto('job')
      .values({ ...deadEvent, created_at: app.clock.now() })
      .execute();
    await passMinutes(app, 1);
    expect(await toldOf(app)).toEqual([]);
    await passMinutes(app, 4);
    const down = { kind: 'health', detail: 'outbox is DOWN' };
    expect(await toldOf(app)).toEqual([down]);
    await db.deleteFrom('job').where('state', '=', 'DEAD').execute();
    await passMinutes(app, 4);
    expect(await toldOf(app)).toEqual([down, { kind: 'health', detail: 'outbox is UP' }]);
  });

  test('a burning budget is notified once', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    await app.person('root', { role: 'admin' });
    const { goals } = app.app.server;
    const fail = async (minutes: number, bad: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (let seen = 0; seen < 10; seen += 1) goals.record('upload-success', seen >= bad);
        await passMinutes(app, 1);
      }
    };
    await fail(3, 0);
    expect(await toldOf(app)).toEqual([]);
    await fail(8, 2);
    const burning = { kind: 'burn-rate', detail: 'upload-success: the budget is used up too fast (critical)' };
    expect(await toldOf(app)).toEqual([burning]);
  });

  test('concurrent servers that detect one change send one notification per tenant', async () => {
    await using app = await start();
    await app.person('root', { role: 'admin' });
    await app.person('boss', { role: 'admin', tenant: 'other' });
    const alert = { kind: 'health', detail: 'db is DEGRADED' };
    const changed = { name: 'health.db', state: 'DEGRADED', normal: 'UP', alert };
    await reportChanges(app.app.server, [changed]);
    await Promise.all(Array.from({ length: 8 }, () => reportChanges(app.app.server, [changed])));
    await app.drain();
    expect(await toldOf(app)).toEqual([alert, alert]);
  });
});

eachApp(start => {
  test('administrators are mailed a change once; monitors and other tenants are not', { tags: 'long' }, async () => {
    await using app = await start({ env: { HEALTH_OUTBOX_FAILED_DOWN: '0' } });
    await app.person('root', { role: 'admin' });
    await app.person('watcher', { role: 'monitor' });
    await app.person('boss', { role: 'admin', tenant: 'other' });
    const { db } = app.app.database;
    await db
      .insertInto('job')
      .values({ ...deadEvent, created_at: app.clock.now() })
      .execute();
    await passMinutes(app, 6);
    const subjects = async (name: string) => (await app.mailsTo(`${name}@example.org`)).map(({ subject }) => subject);
    expect(await subjects('root')).toEqual(['RecordProof: outbox: DOWN']);
    await db.deleteFrom('job').where('state', '=', 'DEAD').where('kind', '=', 'event').execute();
    await passMinutes(app, 6);
    expect(await subjects('root')).toHaveLength(1);
    await passMinutes(app, 56);
    expect(await subjects('root')).toEqual(['RecordProof: outbox: DOWN', 'RecordProof: outbox: normal']);
    const [, last] = await app.mailsTo('root@example.org');
    expect(last?.text).toContain('Everything is normal now.');
    expect([...(await subjects('watcher')), ...(await subjects('boss'))]).toEqual([]);
  });

  test('damage of a file is mailed to the administrators of its tenant only', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const boss = await app.person('boss', { role: 'admin', tenant: 'other' });
    await app.person('root', { role: 'admin' });
    const file = await storeProxied(boss, Buffer.alloc(5000, 'a'));
    await rm(await objectOf(app, file, 0));
    await boss.call(checkIntegrity, { body: {} });
    await passMinutes(app, 3);
    const mails = await app.mailsTo('boss@example.org');
    expect(mails.map(({ subject }) => subject)).toEqual(['RecordProof: integrity: 1 unresolved alert']);
    expect(await app.mailsTo('root@example.org')).toEqual([]);
  });

  test('mails are disabled by the setting', { tags: 'long-on-postgres' }, async () => {
    await using app = await start({ env: { HEALTH_OUTBOX_FAILED_DOWN: '0', HEALTH_MAIL: 'false' } });
    await app.person('root', { role: 'admin' });
    await app.app.database.db
      .insertInto('job')
      .values({ ...deadEvent, created_at: app.clock.now() })
      .execute();
    await passMinutes(app, 4);
    expect(await app.mailsTo('root@example.org')).toEqual([]);
  });
});

const deadEvent = {
  kind: 'event',
  payload: '{}',
  unique_key: null,
  state: 'DEAD',
  due_at: null,
  attempt: 20,
  max_attempts: null,
  fence: 1,
  last_error: 'it failed',
  trace: null,
} as const;
