// Races on tickets: numbering, daily limits, replies, assignments and closing; filters and order of their lists.
import { me } from '@recordproof/shared/api/auth.ts';
import * as api from '@recordproof/shared/api/tickets.ts';
import { expect, test } from 'vitest';
import { listAuditRows } from '../../test/support/audit-rows.ts';
import { type Person, type TestApp, testPassword } from '../support/app.ts';
import { checkEverything } from '../support/check-everything.ts';
import { eachApp } from '../support/each-app.ts';
import { openTicket, payloadsFor, replyTo, toStatus } from '../support/tickets.ts';

const { PENDING, PROCESSING, CONFIRMING, COMPLETED, CLOSED } = api.ticketStatus;
const halfDay = 12 * 3600 * 1000;

const openPeople = async (app: TestApp) => ({
  alice: await app.person('alice'),
  root: await app.person('root', { role: 'admin' }),
  helper: await app.person('helper', { role: 'admin' }),
});

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => work(index)));
const done = <T>(results: PromiseSettledResult<T>[]): T[] =>
  results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
const rejectedKinds = (results: PromiseSettledResult<unknown>[]): string[] =>
  results.flatMap(result => (result.status === 'rejected' ? [result.reason.kind] : []));

/** The changes of status in notifications, as `0→1`. */
async function noticedSteps(app: TestApp, name: string): Promise<string[]> {
  return (await payloadsFor(app, name)).flatMap(({ oldStatus, newStatus }) =>
    oldStatus === undefined ? [] : [`${oldStatus}→${newStatus}`],
  );
}

/** Simulates that many tickets of today, so that the given number is the next. */
async function skipNumbers({ app, clock }: TestApp, next: number): Promise<void> {
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  await app.database.db
    .updateTable('ticket_day')
    .set({ last_number: next - 1 })
    .where('day', '=', day)
    .execute();
}

eachApp((start, engine) => {
  // Rivals meet on PostgreSQL; on SQLite one writer waits for the other.
  const asRival = engine === 'sqlite' ? ({ tags: 'long' } as const) : {};
  test('concurrently opened tickets get consecutive numbers without gaps or duplicates', asRival, async () => {
    await using app = await start();
    const people = await Promise.all(['a_1', 'b_1', 'c_1', 'd_1'].map(name => app.person(name)));
    const foreigner = await app.person('foreigner', { tenant: 'acme' });
    const opened = done(await times(40, index => openTicket(people[index % 4] as Person)));
    const expected = Array.from({ length: 40 }, (_, index) => `TK20260131${String(index + 1).padStart(4, '0')}`);
    expect(opened.map(ticket => ticket.ticketNo).sort()).toEqual(expected);
    expect((await openTicket(foreigner)).ticketNo).toBe('TK202601310001');
    await checkEverything(app);
  });

  test('after 9,999 tickets a day further ones are rejected until midnight, when numbering restarts', {
    tags: 'long',
  }, async () => {
    await using app = await start();
    const { alice, root } = await openPeople(app);
    await openTicket(alice);
    await skipNumbers(app, 9998);
    const results = await times(6, index => openTicket(index % 2 === 0 ? alice : root));
    expect(
      done(results)
        .map(ticket => ticket.ticketNo)
        .sort(),
    ).toEqual(['TK202601319998', 'TK202601319999']);
    expect(rejectedKinds(results)).toEqual(Array(4).fill('RATE_LIMITED'));
    const rejection = await alice.expectError(api.createTicket, { body: { title: 'a', content: 'b' } });
    expect(rejection).toMatchObject({ status: 429, code: 429 });
    expect(rejection.retryAfterSeconds).toBeGreaterThan(11 * 3600);
    expect(rejection.retryAfterSeconds).toBeLessThanOrEqual(12 * 3600);
    app.clock.advance(halfDay);
    await alice.login('alice', testPassword);
    expect((await openTicket(alice)).ticketNo).toBe('TK202602010001');
    await checkEverything(app);
  });

  test('a person can open a hundred tickets a day, also concurrently, without limiting others', asRival, async () => {
    await using app = await start();
    const { alice, root } = await openPeople(app);
    const results = await times(105, () => openTicket(alice));
    expect(done(results)).toHaveLength(100);
    expect(rejectedKinds(results)).toEqual(Array(5).fill('RATE_LIMITED'));
    expect((await openTicket(root)).ticketNo, 'no number was lost').toBe('TK202601310101');
    app.clock.advance(halfDay);
    await alice.login('alice', testPassword);
    expect((await openTicket(alice)).ticketNo).toBe('TK202602010001');
    await checkEverything(app);
  });

  test('concurrent replies and assignments of a new ticket all succeed, and it is taken up once', asRival, async () => {
    await using app = await start();
    const { alice, root, helper } = await openPeople(app);
    const { id } = await openTicket(alice);
    const assigneeId = (await helper.call(me)).externalId;
    const results = await times<unknown>(24, async index => {
      const admin = index % 2 === 0 ? root : helper;
      if (index % 3 === 0) return admin.call(api.assignTicket, { params: { id }, body: { assigneeId } });
      return replyTo(admin, id, { content: `answer ${index}`, isInternal: index % 3 === 1 });
    });
    expect(rejectedKinds(results)).toEqual([]);
    const seen = await root.call(api.getTicket, { params: { id } });
    expect(seen).toMatchObject({ status: PROCESSING, assigneeName: 'helper', replyCount: 16 });
    expect(await alice.call(api.getTicket, { params: { id } })).toMatchObject({ replyCount: 8, replies: { total: 8 } });
    expect(await noticedSteps(app, 'alice')).toEqual(['0→1']);
    const { db } = app.app.database;
    const assigned = await db.selectFrom('audit_log').select('id').where('operation_type', '=', 'assign').execute();
    expect(assigned, 'the same one again changes nothing').toHaveLength(1);
    await checkEverything(app);
  });

  test(
    'concurrent confirm, reopen and close requests leave a valid state, with one notice per step',
    asRival,
    async () => {
      await using app = await start();
      const { alice, root, helper } = await openPeople(app);
      const tickets = await Promise.all(Array.from({ length: 8 }, () => openTicket(alice)));
      for (const { id } of tickets) {
        for (const step of [PROCESSING, CONFIRMING] as const)
          await root.call(api.updateAnyTicketStatus, toStatus(id, step));
      }
      const before = (await noticedSteps(app, 'alice')).length;
      const inputs = [COMPLETED, PROCESSING, CLOSED, CONFIRMING] as const;
      const results = await times(8 * 12, index => {
        const { id } = tickets[index % 8] as api.Ticket;
        const input = toStatus(id, inputs[Math.floor(index / 8) % 4] as api.TicketStatus);
        if (index % 3 === 0) return alice.call(api.updateTicketStatus, input);
        return (index % 3 === 1 ? root : helper).call(api.updateAnyTicketStatus, input);
      });
      const allowed = ['TICKET_ALREADY_CLOSED', 'INVALID_TICKET_STATUS'];
      expect(rejectedKinds(results).filter(kind => !allowed.includes(kind))).toEqual([]);

      const { db } = app.app.database;
      const audited = await listAuditRows(db, { operation_type: 'change-status' });
      const steps = audited.map(row => ({ ...JSON.parse(row.request_param), by: row.username }));
      expect(steps).toHaveLength(16 + done(results).length);
      for (const { id } of tickets) {
        const own = steps.filter(step => String(step.ticketId) === id);
        const trail = own.map(step => step.from);
        expect([...trail.slice(1), (await alice.call(api.getTicket, { params: { id } })).status]).toEqual(
          own.map(step => step.to),
        );
        expect(trail[0]).toBe(PENDING);
      }
      const byOthers = steps.slice(16).filter(step => step.by !== 'alice');
      expect((await noticedSteps(app, 'alice')).slice(before).sort()).toEqual(
        byOthers.map(step => `${step.from}→${step.to}`).sort(),
      );
      await checkEverything(app);
    },
  );

  test('replies concurrent with closing a ticket are stored before it is closed or rejected', asRival, async () => {
    await using app = await start();
    const { alice, root } = await openPeople(app);
    for (let round = 0; round < 6; round += 1) {
      const { id } = await openTicket(alice);
      const results = await times<unknown>(9, index =>
        index === 4
          ? root.call(api.updateAnyTicketStatus, toStatus(id, CLOSED))
          : replyTo(alice, id, { content: `reply ${index}` }),
      );
      expect(new Set(rejectedKinds(results))).toEqual(
        new Set(rejectedKinds(results).map(() => 'TICKET_ALREADY_CLOSED')),
      );
      const { replies, updatedAt, replyCount } = await alice.call(api.getTicket, { params: { id } });
      expect(replyCount).toBe(done(results).length - 1);
      expect(replies.records.length).toBe(replyCount);
      for (const { createdAt } of replies.records) expect(createdAt <= updatedAt).toBe(true);
    }
    await checkEverything(app);
  });

  test('ticket lists are filtered, searched, sorted and paged', async () => {
    await using app = await start();
    const { alice, root, helper } = await openPeople(app);
    const write = (person: Person, title: string, more: object = {}) =>
      person.call(api.createTicket, { body: { title, content: 'hidden words', ...more } });
    const first = await write(alice, 'Straße 100%_ full', { priority: 2, category: 0 });
    await write(alice, 'report missing', { priority: 0, category: 0 });
    await write(alice, 'REPORT late', { category: 3 });
    await write(helper, 'report of helper');
    await root.call(api.updateAnyTicketStatus, toStatus(first.id, PROCESSING));
    const titles = async (query: object, person = alice, endpoint = api.listTickets as typeof api.listAllTickets) =>
      (await person.call(endpoint, { query })).records.map(record => record.title.split(' ')[0] ?? '').join(' ');
    expect(await titles({})).toBe('REPORT report Straße');
    expect(await titles({ sort: 'createdAt,asc' })).toBe('Straße report REPORT');
    expect(await titles({ sort: 'updatedAt,desc' })).toBe('Straße REPORT report');
    expect(await titles({ sort: 'priority,desc' })).toBe('Straße REPORT report');
    expect(await titles({ status: PENDING })).toBe('REPORT report');
    expect(await titles({ category: 0, priority: 0 })).toBe('report');
    expect(await titles({ keyword: 'RepOrt' })).toBe('REPORT report');
    expect(await titles({ keyword: 'STRASSE' })).toBe('');
    expect(await titles({ keyword: 'straße' })).toBe('Straße');
    for (const keyword of ['%', '_', '0%_']) expect(await titles({ keyword }), keyword).toBe('Straße');
    expect(await titles({ keyword: '\\' })).toBe('');
    expect(await titles({ keyword: first.ticketNo.toLowerCase() })).toBe('Straße');
    expect(await titles({ keyword: 'hidden' })).toBe('');
    expect(await titles({ keyword: "report' or 1=1 --" })).toBe('');
    expect(await titles({ keyword: 'report' }, root, api.listAllTickets)).toBe('report REPORT report');
    expect(await titles({ size: 3, page: 2, sort: 'createdAt,asc' }, root, api.listAllTickets)).toBe('report');
    expect(await root.call(api.listAllTickets, { query: { size: 3 } })).toMatchObject({ total: 4, pages: 2 });
    expect(await titles({ page: 2 })).toBe('');
    const bad = [
      { sort: 'title' },
      { status: 7 },
      { category: 'bug' },
      { priority: -1 },
      { size: 101 },
      { page: 0 },
      { keyword: '\u0000' },
    ];
    for (const query of bad) {
      expect(await alice.expectError(api.listTickets, { query } as never), JSON.stringify(query)).toMatchObject({
        status: 400,
      });
    }
    await checkEverything(app);
  });
});
