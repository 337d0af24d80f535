// A notice is written in the transaction of what it tells of, travels through the outbox, and becomes an event per
// addressee. Nobody else ever reads it.
import type { EventType } from '@recordproof/shared/api/events.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { type Consumer, emit } from '../../platform/outbox/outbox.ts';
import type { Notice } from './notice.ts';
import { insertEvents } from './queries.ts';

const noticeType = 'notice.given';

/** Tells the audience once the transaction is committed, and never when it is not. */
export async function notify<T extends EventType>(tx: Tx, notice: Notice<T>, now: Time): Promise<void> {
  const { tenantId, to, type, payload } = notice;
  if (to.kind === 'users' && to.userIds.length === 0) return;
  await emit(tx, { type: noticeType, tenantId, payload: { to, type, payload } }, now);
}

export const keepNotices: Consumer = {
  name: 'events',
  types: [noticeType],
  handle: (tx, event) => {
    const { tenantId, payload, createdAt } = event;
    if (tenantId === null) throw new Error('a notice belongs to a tenant');
    return insertEvents(tx, { tenantId, ...(payload as Omit<Notice, 'tenantId'>) }, createdAt);
  },
};
