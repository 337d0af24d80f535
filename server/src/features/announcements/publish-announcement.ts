// Publication of a draft, once: by an administrator, or by a job at its time. Users of the tenant are notified with the
// commit.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { isDue, mayPublish } from './policy.ts';
import { type AnnouncementRow, lockAnnouncement, updateAnnouncement } from './queries.ts';
import { lockExistingAnnouncement } from './read-announcement.ts';

export function publishAnnouncement(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  announcementId: Key,
): Promise<AnnouncementRow> {
  return database.db.transaction().execute(async tx => {
    const draft = await lockExistingAnnouncement(tx, database.kind, call.actor.tenantId, announcementId);
    const now = clock.now();
    const rejection = mayPublish(draft, now);
    if (rejection !== null) throw new ApiError('CONFLICT', rejection);
    return publish(tx, call, draft, now);
  });
}

async function publish(tx: Tx, call: Call<Party>, draft: AnnouncementRow, now: Time): Promise<AnnouncementRow> {
  const row = await updateAnnouncement(tx, draft, { published_at: now }, now);
  const { id, tenant_id: tenantId, title, priority } = row;
  const param = { announcementId: id };
  await recordAudit(tx, call, now, 'announcements.publish', `announcement ${id} published`, param);
  const payload = { id: toWireId(id), title, priority, isPinned: row.is_pinned === 1 };
  await notify(tx, { tenantId, to: { kind: 'tenant' }, type: 'announcement-published', payload }, now);
  return row;
}

export const publishJobKind = 'announcements.publish';

export const publishScheduled = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: publishJobKind,
  leaseSeconds: 60,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(5, 600),
  run: async ({ payload }) => {
    const { tenantId, announcementId } = payload as { tenantId: Key; announcementId: Key };
    await database.db.transaction().execute(async tx => {
      const draft = await lockAnnouncement(tx, database.kind, tenantId, announcementId);
      const now = clock.now();
      if (draft === null || !isDue(draft, now)) return;
      await publish(tx, localCall('announcement schedule', tenantId, now), draft, now);
    });
  },
});
