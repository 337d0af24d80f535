// Writing notices: a notice is committed with its change, and becomes one event per addressee in a separate
// transaction, so that changes do not wait for event numbering.
import type { EventType } from '@recordproof/shared/api/events.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { type Consumer, type Event, emit, type NewEvent } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import { sessionsEnded } from '../accounts/index.ts';
import { signedInFromNewDevice } from '../auth/index.ts';
import { type Audience, insertEvents, type Notice, sweepEvents } from './queries.ts';

const noticeType = 'notice.given';

/** How long events can be replayed. */
export const keptMs = 24 * 3600_000;
export const sweepJobKind = 'events.sweep';
const sweepBatch = 1000;

/** Notifies the audience once the transaction commits. */
export async function notify<T extends EventType>(tx: Tx, notice: Notice<T>, now: Time): Promise<void> {
  if (notice.to.kind === 'users' && notice.to.userIds.length === 0) return;
  await emit(tx, toNoticeEvent(notice), now);
}

/** For callers that emit several events at once. */
export const toNoticeEvent = <T extends EventType>({ tenantId, to, type, payload }: Notice<T>): NewEvent => ({
  type: noticeType,
  tenantId,
  payload: { to, type, payload },
});

function tenantOf({ type, tenantId }: Event): Key {
  if (tenantId === null) throw new Error(`the event "${type}" has no tenant`);
  return tenantId;
}

type Dependencies = Pick<Server, 'clock'> & { readonly hub: Pick<Server['hub'], 'announce'> };

export const keepNotices = ({ clock, hub }: Dependencies): Consumer => ({
  name: 'events',
  types: [noticeType],
  handle: (tx, [first, ...others]) => {
    if (!first) return Promise.resolve();
    const notices = [first, ...others].map(({ payload, createdAt }) => ({
      ...(payload as Omit<Notice, 'tenantId'>),
      createdAt,
    }));
    return insertEvents(tx, tenantOf(first), notices, clock.now());
  },
  committed: event => hub.announce(tenantOf(event)),
});

/** Sign-ins are on a lower layer: they become notices here. */
export const notifyNewDevices = ({ clock, hub }: Dependencies): Consumer => ({
  name: 'events-sign-ins',
  types: [signedInFromNewDevice],
  handle: async (tx, events) => {
    for (const event of events) {
      const { userId, device, address } = event.payload as { userId: Key; device: string; address: string };
      const payload = { device, address };
      const to: Audience = { kind: 'users', userIds: [userId] };
      const notice = { to, type: 'new-device', payload, createdAt: event.createdAt } as const;
      await insertEvents(tx, tenantOf(event), [notice], clock.now());
    }
  },
  committed: event => hub.announce(tenantOf(event)),
});

export const endStreams = ({ hub }: Pick<Server, 'hub'>): Consumer => ({
  name: 'events-sessions',
  types: [sessionsEnded],
  handle: async () => {},
  committed: event => hub.sessionsEnded({ tenantId: tenantOf(event), userId: event.payload.userId as Key | null }),
});

export const sweepJob = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: sweepJobKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async ({ signal }) => {
    while (!signal.aborted && (await sweepEvents(database.db, clock.now() - keptMs, sweepBatch)) === sweepBatch);
  },
});
