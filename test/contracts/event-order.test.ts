// Event ids are complete in order: a reader that continues from the last id it has seen misses no event, however many
// servers store events concurrently.

import { setTimeout as sleep } from 'node:timers/promises';
import { migrations } from '@recordproof/server/compose/features.ts';
import { insertTenant } from '@recordproof/server/features/accounts/index.ts';
import type { Notice } from '@recordproof/server/features/events/index.ts';
import { keepNotices } from '@recordproof/server/features/events/notices.ts';
import { listEvents, prepareFindLastId } from '@recordproof/server/features/events/queries.ts';
import type { Db, Key } from '@recordproof/server/platform/db/tables.ts';
import { newTokenId } from '@recordproof/server/platform/ids.ts';
import { expect, test } from 'vitest';
import { movableClock } from '../support/clock.ts';
import { eachDatabase, type OpenDatabase } from '../support/databases.ts';

const notices = 300;
const lanesEach = 6;

const noticeOf = (number: number): Omit<Notice, 'tenantId'> => ({
  to: { kind: 'tenant' },
  type: 'file-recorded',
  payload: { fileId: `${number}`, fileName: 'a', fileHash: 'b', version: 1, transactionHash: 'c' },
});

async function openTenants(open: OpenDatabase) {
  const database = await open(migrations);
  const tenants = await database.db
    .transaction()
    .execute(async tx => [await insertTenant(tx, 'one', 0), await insertTenant(tx, 'two', 0)]);
  return { ...database, tenants };
}

/** The server's handling of a notice, with a pause before the commit in which others overtake it. */
async function keep(db: Db, tenantId: Key, number: number): Promise<void> {
  const { handle } = keepNotices({ clock: movableClock(), hub: { announce: () => {} } });
  await db.transaction().execute(async tx => {
    const event = { id: newTokenId(), type: 'notice.given', tenantId, payload: noticeOf(number), createdAt: 0 };
    await handle(tx, [event]);
    await sleep(Math.random() * 4);
  });
}

eachDatabase((_engine, open) => {
  test('a reader that stores the last id receives every event once, in id order, without a gap', async () => {
    const database = await openTenants(open);
    const { db, tenants, openAgain } = database;
    const servers = [db, (await openAgain()).db, (await openAgain()).db];
    const waiting = Array.from({ length: notices }, (_, number) => number);
    const lane = async (server: Db) => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift())
        await keep(server, tenants[number % 2] as Key, number);
    };
    const seen = tenants.map(() => [] as { id: Key; fileId: string }[]);
    let isDone = false;
    const read = async (tenantId: Key, into: { id: Key; fileId: string }[]) => {
      for (let isLast = false; !isLast; ) {
        isLast = isDone;
        const rows = await listEvents(servers[1] as Db, tenantId, into.at(-1)?.id ?? 0, 7);
        into.push(...rows.map(row => ({ id: row.id, fileId: JSON.parse(row.payload).fileId as string })));
        if (rows.length > 0) isLast = false;
        await sleep(0);
      }
    };
    const reading = tenants.map((tenantId, index) => read(tenantId, seen[index] ?? []));
    await Promise.all(servers.flatMap(server => Array.from({ length: lanesEach }, () => lane(server))));
    isDone = true;
    await Promise.all(reading);
    for (const [index, events] of seen.entries()) {
      expect(events.map(({ id }) => id)).toEqual(Array.from({ length: notices / 2 }, (_, at) => at + 1));
      expect(new Set(events.map(({ fileId }) => fileId)).size).toBe(notices / 2);
      expect(await prepareFindLastId(database)(tenants[index] as Key)).toBe(notices / 2);
    }
  });

  test('a rolled back transaction leaves no gap in the ids', async () => {
    const { db, tenants } = await openTenants(open);
    const [tenantId = 0] = tenants;
    await keep(db, tenantId, 1);
    const { handle } = keepNotices({ clock: movableClock(), hub: { announce: () => {} } });
    const broken = db.transaction().execute(async tx => {
      await handle(tx, [{ id: 'E', type: 'notice.given', tenantId, payload: noticeOf(2), createdAt: 0 }]);
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow('changed my mind');
    await keep(db, tenantId, 3);
    expect((await listEvents(db, tenantId, 0, 10)).map(({ id }) => id)).toEqual([1, 2]);
  });

  test('an event for thousands of recipients is stored for each of them', async () => {
    const { db, tenants } = await openTenants(open);
    const [tenantId = 0] = tenants;
    const people = Array.from({ length: 2500 }, (_, index) => index + 1);
    await db
      .insertInto('account')
      .values(
        people.map(id => ({
          id,
          tenant_id: tenantId,
          external_id: `U${id}`,
          username: `user-${id}`,
          username_folded: `user-${id}`,
          email: `${id}@example.org`,
          nickname: null,
          avatar: null,
          role: 'user',
          status: 'ACTIVE',
          password_hash: '',
          auth_version: 1,
          registered_at: 0,
        })),
      )
      .execute();
    const { handle } = keepNotices({ clock: movableClock(), hub: { announce: () => {} } });
    const payload = { ...noticeOf(1), to: { kind: 'users', userIds: [...people, 1, 2] } };
    await db
      .transaction()
      .execute(tx => handle(tx, [{ id: 'E', type: 'notice.given', tenantId, payload, createdAt: 0 }]));
    const rows = await listEvents(db, tenantId, 0, 5000);
    expect(rows.map(row => row.user_id)).toEqual(people);
    expect(rows.map(row => row.id)).toEqual(people);
  });
});
