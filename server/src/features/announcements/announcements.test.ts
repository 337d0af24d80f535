// Announcements: drafts, scheduled publication, expiry, edits and read marks.
import * as api from '@recordproof/shared/api/announcements.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, startOfTests, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';

const { DRAFT, PUBLISHED, EXPIRED } = api.announcementStatus;
const minute = 60_000;
const at = (minutes: number): string => new Date(startOfTests + minutes * minute).toISOString();

type Input = Partial<{
  title: string;
  content: string;
  priority: api.AnnouncementPriority;
  isPinned: boolean;
  publishAt: string | null;
  expireAt: string | null;
}>;
const toInput = (input: Input = {}) => ({ title: 'Maintenance', content: '# Tonight\n\nWe are *away*.', ...input });
const write = (admin: Person, input: Input = {}) => admin.call(api.createAnnouncement, { body: toInput(input) });
const publish = (admin: Person, id: string) => admin.call(api.publishAnnouncement, { params: { id } });
const announce = async (admin: Person, input: Input = {}) => publish(admin, (await write(admin, input)).id);
const rewrite = (admin: Person, id: string, input: Input = {}) =>
  admin.call(api.updateAnnouncement, { params: { id }, body: toInput(input) });
const getManaged = (admin: Person, id: string) => admin.call(api.getManagedAnnouncement, { params: { id } });
const unread = async (person: Person) => (await person.call(api.countUnreadAnnouncements)).count;
const titles = async (person: Person, query: object = {}) =>
  (await person.call(api.listAnnouncements, { query })).records.map(record => record.title);

async function openPeople(app: TestApp) {
  return {
    alice: await app.person('alice'),
    root: await app.person('root', { role: 'admin' }),
    watcher: await app.person('watcher', { role: 'monitor' }),
    foreigner: await app.person('foreigner', { role: 'admin', tenant: 'acme' }),
  };
}

/** What everybody of a tenant was told. */
async function noticesToAll(app: TestApp) {
  await app.drain();
  const rows = await app.app.database.db
    .selectFrom('event')
    .innerJoin('tenant', 'tenant.id', 'event.tenant_id')
    .select(['event.type', 'event.payload', 'tenant.name'])
    .where('event.user_id', 'is', null)
    .where('event.roles', 'is', null)
    .orderBy('event.id')
    .execute();
  return rows.map(row => ({ ...row, payload: JSON.parse(row.payload) as unknown }));
}

/** Moves the clock, further than a login lasts. */
async function later(app: TestApp, minutes: number, ...people: Person[]): Promise<void> {
  app.clock.advance(minutes * minute);
  await app.drain();
  for (const person of people) await person.login(person.name, testPassword);
}

test('a draft is visible to administrators only; once published, the tenant is notified and can read it', async () => {
  await using app = await startApp();
  const { alice, root, watcher, foreigner } = await openPeople(app);
  const draft = await write(root, { priority: 2, isPinned: true });
  expect(draft).toMatchObject({ status: DRAFT, publishedAt: null, authorName: 'root', priority: 2, isPinned: true });
  const { id } = draft;
  expect(await alice.expectError(api.getAnnouncement, { params: { id } })).toMatchObject({ code: 60004 });
  expect(await unread(alice)).toBe(0);
  expect(await noticesToAll(app)).toEqual([]);

  const published = await publish(root, id);
  expect(published).toMatchObject({ id, status: PUBLISHED, publishedAt: expect.any(String) });
  const tenant = (await app.app.database.db.selectFrom('tenant').select('name').orderBy('id').execute())[0]?.name;
  const payload = { id, title: 'Maintenance', priority: 2, isPinned: true };
  expect(await noticesToAll(app)).toEqual([{ type: 'announcement-published', payload, name: tenant }]);
  for (const person of [alice, root, watcher]) {
    const { content, ...item } = await person.call(api.getAnnouncement, { params: { id } });
    expect(item).toMatchObject({ ...payload, isRead: false, expireAt: null, publishedAt: published.publishedAt });
    expect(content).toBe('# Tonight\n\nWe are *away*.');
    expect((await person.call(api.listAnnouncements)).records).toEqual([item]);
    expect(await unread(person)).toBe(1);
  }
  expect(await titles(foreigner)).toEqual([]);
  expect(await unread(foreigner)).toBe(0);
});

test('marking an announcement as read affects only the caller, once, and works for monitors', async () => {
  await using app = await startApp();
  const { alice, root, watcher } = await openPeople(app);
  const first = await announce(root, { title: 'first' });
  await announce(root, { title: 'second' });
  for (let time = 0; time < 2; time += 1) await alice.call(api.readAnnouncement, { params: { id: first.id } });
  expect(await unread(alice)).toBe(1);
  expect(await titles(alice, { unread: 'true' })).toEqual(['second']);
  expect(await titles(alice, { unread: 'false' })).toEqual(['first']);
  expect(await alice.call(api.getAnnouncement, { params: { id: first.id } })).toMatchObject({ isRead: true });
  expect(await unread(watcher)).toBe(2);
  await watcher.call(api.readAnnouncement, { params: { id: first.id } });
  expect(await unread(watcher)).toBe(1);
  expect(await unread(root)).toBe(2);
  const { db } = app.app.database;
  const audited = await db
    .selectFrom('audit_log')
    .select('username')
    .where('operation_type', '=', 'read')
    .orderBy('id')
    .execute();
  expect(audited).toEqual([{ username: 'alice' }, { username: 'watcher' }]);
});

test('an announcement expires at its time, and then only administrators see it', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await announce(root, { expireAt: at(5) });
  await later(app, 4);
  expect(await unread(alice)).toBe(1);
  await later(app, 1);
  expect(await unread(alice)).toBe(0);
  expect(await titles(alice)).toEqual([]);
  for (const endpoint of [api.getAnnouncement, api.readAnnouncement] as const) {
    expect(await alice.expectError(endpoint, { params: { id } })).toMatchObject({ status: 404, code: 60004 });
  }
  expect(await getManaged(root, id)).toMatchObject({ status: EXPIRED });
  const again = { params: { id }, body: toInput({ expireAt: at(60) }) };
  expect(await root.expectError(api.updateAnnouncement, again)).toMatchObject({ status: 409, code: 409 });
  expect(await root.expectError(api.publishAnnouncement, { params: { id } })).toMatchObject({ status: 409 });
  await root.call(api.deleteAnnouncement, { params: { id } });
});

test('a scheduled draft is published at its time, with one notification', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await write(root, { publishAt: at(10), expireAt: at(20) });
  await later(app, 9);
  expect(await getManaged(root, id)).toMatchObject({ status: DRAFT });
  expect(await noticesToAll(app)).toEqual([]);
  await later(app, 1);
  const shown = await getManaged(root, id);
  expect(shown).toMatchObject({ status: PUBLISHED, publishAt: at(10) });
  expect(Date.parse(shown.publishedAt ?? '') - Date.parse(at(10))).toBeLessThan(1000);
  expect(await noticesToAll(app)).toHaveLength(1);
  expect(await unread(alice)).toBe(1);
  await later(app, 5);
  expect(await noticesToAll(app)).toHaveLength(1);
  const audited = await listAuditRows(app.app.database.db, { operation_type: 'publish' });
  expect(audited).toMatchObject([{ username: null, request_method: 'LOCAL' }]);
});

test('rescheduled, cancelled and manually published drafts are published at most once and never early', async () => {
  await using app = await startApp();
  const { root } = await openPeople(app);
  const [delayed, earlier, cancelled, byHand, gone] = [
    await write(root, { title: 'delayed', publishAt: at(10) }),
    await write(root, { title: 'earlier', publishAt: at(10) }),
    await write(root, { title: 'cancelled', publishAt: at(10) }),
    await write(root, { title: 'by hand', publishAt: at(10) }),
    await write(root, { title: 'gone', publishAt: at(10) }),
  ];
  await rewrite(root, delayed.id, { title: 'delayed', publishAt: at(30) });
  await rewrite(root, earlier.id, { title: 'earlier', publishAt: at(5) });
  await rewrite(root, cancelled.id, { title: 'cancelled' });
  await publish(root, byHand.id);
  await root.call(api.deleteAnnouncement, { params: { id: gone.id } });
  const told = async () => (await noticesToAll(app)).map(({ payload }) => (payload as { title: string }).title);
  expect(await told()).toEqual(['by hand']);
  await later(app, 6);
  expect(await told()).toEqual(['by hand', 'earlier']);
  await later(app, 5);
  expect(await told()).toEqual(['by hand', 'earlier']);
  await later(app, 20);
  expect(await told()).toEqual(['by hand', 'earlier', 'delayed']);
  expect(await getManaged(root, cancelled.id)).toMatchObject({ status: DRAFT, publishAt: null });
});

test('a draft whose expiry has passed cannot be published until the expiry is changed', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { root } = await openPeople(app);
  const { id } = await write(root, { expireAt: at(5) });
  await later(app, 6);
  const rejection = await root.expectError(api.publishAnnouncement, { params: { id } });
  expect(rejection).toMatchObject({ status: 409 });
  expect(rejection.message).toContain('expires');
  expect(await getManaged(root, id)).toMatchObject({ status: DRAFT });
  await rewrite(root, id, { expireAt: at(60) });
  expect(await publish(root, id)).toMatchObject({ status: PUBLISHED });
});

test('a published announcement can be edited but not published again or rescheduled; it is notified once', async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await announce(root);
  const rejection = await root.expectError(api.publishAnnouncement, { params: { id } });
  expect(rejection).toMatchObject({ status: 409, code: 409 });
  const changed = await rewrite(root, id, { title: 'Corrected', publishAt: at(50), expireAt: at(60), isPinned: true });
  expect(changed).toMatchObject({ title: 'Corrected', status: PUBLISHED, publishAt: null, expireAt: at(60) });
  await later(app, 55, alice);
  expect(await titles(alice)).toEqual(['Corrected']);
  expect(await noticesToAll(app)).toHaveLength(1);
});

test('an announcement published before its scheduled time may also expire before that time', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { root } = await openPeople(app);
  const { id } = await announce(root, { publishAt: at(100) });
  expect(await rewrite(root, id, { expireAt: at(50) })).toMatchObject({ publishAt: at(100), expireAt: at(50) });
});

test('a deleted announcement is gone from all lists, and deleting it again returns 404', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root } = await openPeople(app);
  const { id } = await announce(root);
  await root.call(api.deleteAnnouncement, { params: { id } });
  expect(await titles(alice)).toEqual([]);
  expect(await unread(alice)).toBe(0);
  expect(await root.call(api.listManagedAnnouncements)).toMatchObject({ total: 0 });
  for (const endpoint of [api.getAnnouncement, api.readAnnouncement] as const) {
    expect(await alice.expectError(endpoint, { params: { id } })).toMatchObject({ code: 60004 });
  }
  for (const endpoint of [api.getManagedAnnouncement, api.publishAnnouncement, api.deleteAnnouncement] as const) {
    expect(await root.expectError(endpoint, { params: { id } })).toMatchObject({ status: 404, code: 60004 });
  }
  expect(await root.expectError(api.updateAnnouncement, { params: { id }, body: toInput() })).toMatchObject({
    code: 60004,
  });
});

const outOfBounds: readonly (readonly [object, string])[] = [
  [{ title: '' }, 'title'],
  [{ title: 'x'.repeat(201) }, 'title'],
  [{ title: 'two\nlines' }, 'title'],
  [{ content: '' }, 'content'],
  [{ content: 'x'.repeat(20_001) }, 'content'],
  [{ content: 'nul\u0000' }, 'content'],
  [{ priority: 3 }, 'priority'],
  [{ isPinned: 'yes' }, 'isPinned'],
  [{ publishAt: 'tomorrow' }, 'publishAt'],
  [{ publishAt: at(0) }, 'publishAt'],
  [{ publishAt: '9999-12-31T23:59:59-12:00' }, 'publishAt'],
  [{ expireAt: at(-1) }, 'expireAt'],
  [{ expireAt: at(10), publishAt: at(10) }, 'expireAt'],
];

test('fields out of bounds are rejected by name, and Markdown is stored unchanged', async () => {
  await using app = await startApp();
  const { root } = await openPeople(app);
  const { id } = await write(root);
  for (const [change, field] of outOfBounds) {
    const body = { ...toInput(), ...change } as never;
    for (const rejection of [
      await root.expectError(api.createAnnouncement, { body }),
      await root.expectError(api.updateAnnouncement, { params: { id }, body }),
    ]) {
      expect(rejection, JSON.stringify(change).slice(0, 60)).toMatchObject({ status: 400 });
      expect(rejection.message).toContain(field);
    }
  }
  const content = '<img src=x onerror=alert(1)> [link](javascript:alert(1)) 表\r\n\t\u{1F600}';
  expect(await rewrite(root, id, { content, title: ' spaced ' })).toMatchObject({ content, title: 'spaced' });
  expect(await root.call(api.listManagedAnnouncements)).toMatchObject({ total: 1 });
});

type Call = readonly [Parameters<Person['expectError']>[0], object?];
const forReaders: readonly Call[] = [
  [api.listAnnouncements],
  [api.countUnreadAnnouncements],
  [api.getAnnouncement, { params: { id: '1' } }],
  [api.readAnnouncement, { params: { id: '1' } }],
];
const forAdministrators: readonly Call[] = [
  [api.listManagedAnnouncements],
  [api.createAnnouncement, { body: toInput() }],
  [api.getManagedAnnouncement, { params: { id: '1' } }],
  [api.updateAnnouncement, { params: { id: '1' }, body: toInput() }],
  [api.publishAnnouncement, { params: { id: '1' } }],
  [api.deleteAnnouncement, { params: { id: '1' } }],
];

test('only administrators write announcements, and reading them needs a session', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { alice, root, watcher } = await openPeople(app);
  expect((await write(root)).id).toBe('1');
  for (const [endpoint, input] of [...forReaders, ...forAdministrators]) {
    expect(await app.anonymous.expectError(endpoint, input as never), endpoint.name).toMatchObject({ status: 401 });
  }
  for (const [endpoint, input] of forAdministrators) {
    for (const person of [alice, watcher]) {
      expect(await person.expectError(endpoint, input as never), endpoint.name).toMatchObject({
        status: 403,
        code: 403,
      });
    }
  }
  expect(await getManaged(root, '1')).toMatchObject({ status: DRAFT });
});

test('announcements of another tenant are not found, also by administrators', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const { root, foreigner } = await openPeople(app);
  const { id } = await announce(root);
  const calls = [...forReaders, ...forAdministrators].filter(([, input]) => input !== undefined && 'params' in input);
  expect(calls).toHaveLength(6);
  for (const [endpoint, input] of calls) {
    const there = await foreigner.expectError(endpoint, { ...input, params: { id } } as never);
    const missing = await foreigner.expectError(endpoint, { ...input, params: { id: '999999999' } } as never);
    expect(there, endpoint.name).toMatchObject({ status: 404, code: 60004, message: missing.message });
    expect(missing, endpoint.name).toMatchObject({ status: 404, code: 60004 });
    expect(await foreigner.expectError(endpoint, { ...input, params: { id: 'x' } } as never)).toMatchObject({
      status: 400,
    });
  }
  expect(await foreigner.call(api.listManagedAnnouncements)).toMatchObject({ total: 0 });
  expect(await getManaged(root, id)).toMatchObject({ status: PUBLISHED });
});
