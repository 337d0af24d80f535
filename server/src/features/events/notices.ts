// A notice is written in the transaction of what it tells of, travels through the outbox, and becomes an event per
// addressee. Nobody else ever reads it.
import type { EventType } from '@recordproof/shared/api/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { type Consumer, type Event, emit } from '../../platform/outbox/outbox.ts';
import { sessionsEnded } from '../accounts/index.ts';
import type { Notice } from './notice.ts';
import { insertEvents, sweepEvents } from './queries.ts';

const noticeType = 'notice.given';

/** How long an event can be asked for again. */
export const keptMs = 24 * 3600_000;
export const sweepJobKind = 'events.sweep';
const sweepBatch = 1000;

/** Tells the audience once the transaction is committed, and never when it is not. */
export async function notify<T extends EventType>(tx: Tx, notice: Notice<T>, now: Time): Promise<void> {
  const { tenantId, to, type, payload } = notice;
  if (to.kind === 'users' && to.userIds.length === 0) return;
  await emit(tx, { type: noticeType, tenantId, payload: { to, type, payload } }, now);
}

function tenantOf({ type, tenantId }: Event): Key {
  if (tenantId === null) throw new Error(`${type} belongs to a tenant`);
  return tenantId;
}

/** `announce` hears of each tenant that has new events. */
export const keepNotices = (clock: Clock, announce: (tenantId: Key) => void): Consumer => ({
  name: 'events',
  types: [noticeType],
  handle: (tx, event) => {
    const notice = { tenantId: tenantOf(event), ...(event.payload as Omit<Notice, 'tenantId'>) };
    return insertEvents(tx, notice, { createdAt: event.createdAt, storedAt: clock.now() });
  },
  committed: event => announce(tenantOf(event)),
});

/** `look` hears of each account of which some sessions are over. */
export const endStreams = (look: (person: { tenantId: Key; userId: Key }) => void): Consumer => ({
  name: 'events-sessions',
  types: [sessionsEnded],
  handle: async () => {},
  committed: event => look({ tenantId: tenantOf(event), userId: event.payload.userId as Key }),
});

export const sweepJob = ({ db, clock }: { readonly db: Db; readonly clock: Clock }): JobHandler => ({
  kind: sweepJobKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async ({ signal }) => {
    while (!signal.aborted && (await sweepEvents(db, clock.now() - keptMs, sweepBatch)) === sweepBatch);
  },
});
