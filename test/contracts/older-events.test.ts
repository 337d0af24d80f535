// Pending events of a database from before events were jobs: this version delivers them, once.
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { jobMigrations } from '@recordproof/server/platform/jobs/migrations.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { outboxMigrations } from '@recordproof/server/platform/outbox/migrations.ts';
import { openOutbox } from '@recordproof/server/platform/outbox/open-outbox.ts';
import type { Consumer, Event } from '@recordproof/server/platform/outbox/outbox.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { movableClock } from '../support/clock.ts';
import { eachDatabase } from '../support/databases.ts';
import { listDead } from '../support/job-server.ts';

const leaseMs = 60_000;
const odd = { fileName: 'Zürich "1" \\ 東京\n.pdf', version: 1 };

type OldEvent = { id: string; tenant?: number | null; payload?: object; due?: number | null; claimed?: boolean };

/** A row as the earlier version left it. */
async function addOld(db: Db, { id, tenant = 1, payload = {}, due = 0, claimed = false }: OldEvent): Promise<void> {
  const state = due === null ? 'EXHAUSTED' : 'PENDING';
  const attempt = Number(claimed || due === null);
  const lastError = due === null ? 'nobody there' : null;
  await sql`insert into outbox_event
    (event_id, type, tenant_id, payload, state, due_at, attempt, fence, last_error, created_at)
    values (${id}, 'file.stored', ${tenant}, ${JSON.stringify(payload)}, ${state}, ${due}, ${attempt}, ${attempt},
      ${lastError}, 1000)`.execute(db);
}

eachDatabase((engine, open) => {
  test('waiting, claimed and dead events of an earlier version become jobs; handled ones do not', async () => {
    const older = [...jobMigrations, ...outboxMigrations.slice(0, 1)];
    const { db } = await open(older);
    const clock = movableClock();
    await addOld(db, { id: 'waiting', payload: odd });
    await addOld(db, { id: 'of-all', tenant: null });
    await addOld(db, { id: 'under-way', due: clock.now() + leaseMs, claimed: true });
    await addOld(db, { id: 'handled', due: clock.now() + leaseMs, claimed: true });
    await addOld(db, { id: 'given-up', due: null });
    await sql`insert into inbox (consumer, event_id, handled_at) values ('reader', 'handled', 1000)`.execute(db);
    await migrate(db, engine, [...jobMigrations, ...outboxMigrations], clock.now());

    const events: Event[] = [];
    const handle: Consumer['handle'] = async (_, some) => void events.push(...some);
    const consumers = [{ name: 'reader', types: ['file.stored'], handle }];
    const options = { db, engine, clock, log: silentLog };
    const { setHandlers, counters } = openOutbox({ ...options, consumers });
    const worker = openWorker({ ...options, handlers: [], setHandlers });
    expect(await counters()).toMatchObject({ pending: 3, exhausted: 1, oldestPendingAt: 1000 });
    await worker.drain();
    expect(events.map(({ id }) => id).toSorted()).toEqual(['of-all', 'waiting']);
    expect(events).toContainEqual({ id: 'waiting', type: 'file.stored', tenantId: 1, payload: odd, createdAt: 1000 });
    expect(events.find(({ id }) => id === 'of-all')?.tenantId).toBeNull();
    clock.advance(leaseMs);
    await worker.drain();
    expect(events.map(({ id }) => id).toSorted()).toEqual(['of-all', 'under-way', 'waiting']);
    expect((await listDead(db)).map(({ last_error }) => last_error)).toEqual(['nobody there']);
  });
});
