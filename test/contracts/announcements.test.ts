// Races on announcements: publication, changes and the unread count; filters and order of their lists.
import * as api from '@recordproof/shared/api/announcements.ts';
import { expect, test } from 'vitest';
import { type Person, startOfTests, type TestApp } from '../support/app.ts';
import { checkEverything } from '../support/check-everything.ts';
import { eachApp } from '../support/each-app.ts';

const minute = 60_000;
const at = (minutes: number): string => new Date(startOfTests + minutes * minute).toISOString();

type Input = Partial<Parameters<typeof toInput>[0]>;
const toInput = (input: {
  title?: string;
  priority?: api.AnnouncementPriority;
  isPinned?: boolean;
  publishAt?: string;
  expireAt?: string;
}) => ({ title: 'Maintenance', content: 'Tonight.', ...input });
const write = (admin: Person, input: Input = {}) => admin.call(api.createAnnouncement, { body: toInput(input) });
const publish = (admin: Person, id: string) => admin.call(api.publishAnnouncement, { params: { id } });
const unread = async (person: Person) => (await person.call(api.countUnreadAnnouncements)).count;

async function noticeIds(app: TestApp): Promise<string[]> {
  await app.drain();
  const { db } = app.app.database;
  const rows = await db
    .selectFrom('event')
    .select('payload')
    .where('type', '=', 'announcement-published')
    .orderBy('id')
    .execute();
  return rows.map(({ payload }) => (JSON.parse(payload) as { id: string }).id);
}

const countRows = async (app: TestApp, operation: string): Promise<number> => {
  const { db } = app.app.database;
  return (await db.selectFrom('audit_log').select('id').where('operation_type', '=', operation).execute()).length;
};

eachApp((start, engine) => {
  // Rivals meet on PostgreSQL; on SQLite one writer waits for the other.
  const asRival = engine === 'sqlite' ? ({ tags: 'long' } as const) : {};
  test('twenty publish calls at the scheduled time publish an announcement exactly once', asRival, async () => {
    await using app = await start();
    const admins = [
      await app.person('root', { role: 'admin' }),
      await app.person('second', { role: 'admin' }),
    ] as const;
    for (let round = 1; round <= 3; round += 1) {
      const { id } = await write(admins[0], { publishAt: at(10 * round) });
      app.clock.advance(10 * minute);
      const calls = Array.from({ length: 20 }, (_, index) => publish(admins[index % 2] as Person, id));
      const [results] = await Promise.all([Promise.allSettled(calls), app.drain()]);
      const published = results.filter(result => result.status === 'fulfilled').length;
      const kinds = results.flatMap(result => (result.status === 'rejected' ? [result.reason.kind] : []));
      expect(published).toBeLessThanOrEqual(1);
      expect(kinds).toEqual(Array(20 - published).fill('CONFLICT'));
      expect((await noticeIds(app)).filter(told => told === id)).toEqual([id]);
      expect(await countRows(app, 'publish')).toBe(round);
    }
    await checkEverything(app);
  });

  test('concurrent updates, publications and deletions of announcements are each atomic', asRival, async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const alice = await app.person('alice');
    const drafts = await Promise.all(Array.from({ length: 6 }, () => write(root)));
    await Promise.allSettled(
      drafts.flatMap(({ id }) => [
        root.call(api.updateAnnouncement, { params: { id }, body: toInput({ title: 'anew', publishAt: at(5) }) }),
        publish(root, id),
        alice.call(api.readAnnouncement, { params: { id } }),
        root.call(api.deleteAnnouncement, { params: { id } }),
        alice.call(api.readAnnouncement, { params: { id } }),
      ]),
    );
    app.clock.advance(10 * minute);
    const told = await noticeIds(app);
    expect(new Set(told).size).toBe(told.length);
    expect(told.length).toBe(await countRows(app, 'publish'));
    expect(await countRows(app, 'delete')).toBe(6);
    expect(await unread(alice)).toBe(0);
    expect(await root.call(api.listManagedAnnouncements)).toMatchObject({ total: 0 });
    await checkEverything(app);
  });

  test('the unread count is correct after concurrent publications and reads', asRival, async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const people = await Promise.all(['alice', 'bert', 'carl'].map(name => app.person(name)));
    const first = await Promise.all(Array.from({ length: 5 }, async () => publish(root, (await write(root)).id)));
    const reads = people.flatMap((person, index) =>
      first
        .slice(index)
        .flatMap(({ id }) => Array.from({ length: 4 }, () => person.call(api.readAnnouncement, { params: { id } }))),
    );
    const more = Array.from({ length: 3 }, async () => publish(root, (await write(root)).id));
    await Promise.all([...reads, ...more]);
    expect(await Promise.all(people.map(unread))).toEqual([3, 4, 5]);
    expect(await countRows(app, 'read')).toBe(5 + 4 + 3);
    for (const [index, person] of people.entries()) {
      const { records } = await person.call(api.listAnnouncements, { query: { size: 100 } });
      expect(records.filter(record => !record.isRead)).toHaveLength(3 + index);
      const open = await person.call(api.listAnnouncements, { query: { unread: 'true', size: 2 } });
      expect(open).toMatchObject({ total: 3 + index, pages: Math.ceil((3 + index) / 2) });
    }
    await checkEverything(app);
  });

  test('announcement lists are filtered, searched and sorted; readers get pinned announcements first', async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const alice = await app.person('alice');
    const announce = async (input: Input) => publish(root, (await write(root, input)).id);
    await announce({ title: 'one 100%_', priority: 2 });
    await announce({ title: 'two', isPinned: true });
    await announce({ title: 'Three', expireAt: at(10), priority: 1 });
    await write(root, { title: 'draft' });
    const found = async (query: object = {}) =>
      (await alice.call(api.listAnnouncements, { query })).records.map(({ title }) => title.split(' ')[0]).join(' ');
    expect(await found()).toBe('two Three one');
    expect(await found({ sort: 'publishedAt,asc' })).toBe('two one Three');
    expect(await found({ sort: 'priority,desc' })).toBe('two one Three');
    expect(await found({ priority: 1 })).toBe('Three');
    expect(await found({ keyword: 'tHREE' })).toBe('Three');
    for (const keyword of ['%', '_', '0%_']) expect(await found({ keyword }), keyword).toBe('one');
    expect(await found({ size: 1, page: 2 })).toBe('Three');
    app.clock.advance(11 * minute);
    expect(await found()).toBe('two one');
    const managed = async (query: object) =>
      (await root.call(api.listManagedAnnouncements, { query })).records.map(({ title }) => title).join(', ');
    expect(await managed({})).toBe('draft, Three, two, one 100%_');
    expect(await managed({ status: 0 })).toBe('draft');
    expect(await managed({ status: 1, sort: 'createdAt,asc' })).toBe('one 100%_, two');
    expect(await managed({ status: 2 })).toBe('Three');
    expect(await managed({ keyword: 'dra' })).toBe('draft');
    for (const query of [{ sort: 'title' }, { unread: 'yes' }, { priority: 3 }, { size: 101 }, { keyword: '\u0000' }]) {
      const rejection = await alice.expectError(api.listAnnouncements, { query } as never);
      expect(rejection, JSON.stringify(query)).toMatchObject({ status: 400 });
    }
    expect(await root.expectError(api.listManagedAnnouncements, { query: { status: 3 } } as never)).toMatchObject({
      status: 400,
    });
    await checkEverything(app);
  });
});
