import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { tellChanges } from './watch.ts';

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
  test('a part that goes down is told once, after two looks, and that it is back once as well', async () => {
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

  test('a budget that burns is told once, however long it burns', async () => {
    await using app = await start();
    await app.person('root', { role: 'admin' });
    const { goals } = app.app.server;
    const fail = async (minutes: number, bad: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (let seen = 0; seen < 10; seen += 1) goals.seen('upload-success', seen >= bad);
        await passMinutes(app, 1);
      }
    };
    await fail(3, 0);
    expect(await toldOf(app)).toEqual([]);
    await fail(8, 2);
    const burning = { kind: 'burn-rate', detail: 'upload-success: the budget is used up too fast (critical)' };
    expect(await toldOf(app)).toEqual([burning]);
  });

  test('of two servers that see a change at once, one tells it to each tenant', async () => {
    await using app = await start();
    await app.person('root', { role: 'admin' });
    await app.person('boss', { role: 'admin', tenant: 'other' });
    const alert = { kind: 'health', detail: 'db is DEGRADED' };
    const changed = { name: 'health.db', state: 'DEGRADED', normal: 'UP', alert };
    await tellChanges(app.app.server, [changed]);
    await Promise.all(Array.from({ length: 8 }, () => tellChanges(app.app.server, [changed])));
    await app.drain();
    expect(await toldOf(app)).toEqual([alert, alert]);
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
