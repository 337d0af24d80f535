// Makes a draft public, once: by hand, or by a job at its time. Everybody of the tenant is told with the commit.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { toWireId } from '../../platform/ids.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { type AuditEntry, appendAudit, localOrigin, type Origin } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { isDue, mayPublish } from './policy.ts';
import type { AnnouncementPorts } from './ports.ts';
import { type AnnouncementRow, holdAnnouncement, updateAnnouncement } from './queries.ts';
import { holdAny } from './visible.ts';

export function publishAnnouncement(
  { database, clock }: AnnouncementPorts,
  actor: Actor,
  announcementId: Key,
  origin: Origin,
): Promise<AnnouncementRow> {
  return database.db.transaction().execute(async tx => {
    const draft = await holdAny(tx, database.kind, actor.tenantId, announcementId);
    const now = clock.now();
    const refusal = mayPublish(draft, now);
    if (refusal !== null) throw new ApiError('CONFLICT', refusal);
    return publish(tx, draft, { who: actor, origin }, now);
  });
}

async function publish(
  tx: Tx,
  draft: AnnouncementRow,
  by: Pick<AuditEntry, 'who' | 'origin'>,
  now: Time,
): Promise<AnnouncementRow> {
  const row = await updateAnnouncement(tx, draft, { published_at: now }, now);
  const { id, tenant_id: tenantId, title, priority } = row;
  await appendAudit(
    tx,
    {
      ...by,
      tenantId,
      module: 'announcements',
      operation: 'publish',
      description: `announcement ${id} published`,
      param: { announcementId: id },
    },
    now,
  );
  const payload = { id: toWireId(id), title, priority, isPinned: row.is_pinned === 1 };
  await notify(tx, { tenantId, to: { kind: 'tenant' }, type: 'announcement-published', payload }, now);
  return row;
}

export const publishJobKind = 'announcements.publish';

export const publishScheduled = ({ database, clock }: AnnouncementPorts): JobHandler => ({
  kind: publishJobKind,
  leaseSeconds: 60,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(5, 600),
  run: async ({ payload }) => {
    const { tenantId, announcementId } = payload as { tenantId: Key; announcementId: Key };
    await database.db.transaction().execute(async tx => {
      const draft = await holdAnnouncement(tx, database.kind, tenantId, announcementId);
      const now = clock.now();
      if (draft === null || !isDue(draft, now)) return;
      await publish(tx, draft, { who: null, origin: localOrigin('announcement schedule', now) }, now);
    });
  },
});
