// Invariants of tickets and announcements.

import { expect } from 'vitest';
import type { Db } from '../../server/src/platform/db/tables.ts';
import { listAuditRows } from './audit-rows.ts';

export async function checkTickets(db: Db): Promise<void> {
  const replies = await db.selectFrom('ticket_reply').selectAll().execute();
  const days = await db.selectFrom('ticket_day').selectAll().execute();
  for (const ticket of await db.selectFrom('ticket').selectAll().execute()) {
    const about = `ticket ${ticket.ticket_no}`;
    const own = replies.filter(reply => reply.ticket_id === ticket.id);
    const open = own.filter(reply => reply.is_internal === 0);
    expect([ticket.replies, ticket.internal_replies], `${about} counts its replies`).toEqual([
      open.length,
      own.length - open.length,
    ]);
    for (const reply of open) expect(reply.created_at, about).toBeLessThanOrEqual(ticket.updated_at);
    const day = new Date(ticket.created_at).toISOString().slice(0, 10).replaceAll('-', '');
    expect(ticket.ticket_no).toMatch(new RegExp(`^TK${day}[0-9]{4}$`));
    const given = days.find(row => row.tenant_id === ticket.tenant_id && row.day === day)?.last_number ?? 0;
    expect(Number(ticket.ticket_no.slice(-4)), about).toBeLessThanOrEqual(given);
    if (ticket.assignee_id !== null) expect(ticket.status, `${about} is somebody's`).not.toBe(0);
  }
  await checkAttachments(db);
}

/** Attachments belong to the account that attaches them. */
async function checkAttachments(db: Db): Promise<void> {
  const rows = await db
    .selectFrom('ticket_attachment as a')
    .innerJoin('ticket as t', 't.id', 'a.ticket_id')
    .innerJoin('file as f', 'f.id', 'a.file_id')
    .leftJoin('ticket_reply as r', 'r.id', 'a.reply_id')
    .select(['a.id', 'a.tenant_id', 'a.reply_id', 't.id as ticket', 't.tenant_id as there', 't.creator_id'])
    .select(['f.owner_id', 'f.tenant_id as home', 'r.author_id', 'r.ticket_id as replied'])
    .execute();
  for (const row of rows) {
    const owner = row.reply_id === null ? row.creator_id : row.author_id;
    expect([row.owner_id, row.home, row.there], `attachment ${row.id}`).toEqual([owner, row.tenant_id, row.tenant_id]);
    if (row.reply_id !== null) expect(row.replied, `attachment ${row.id}`).toBe(row.ticket);
  }
}

/** Published announcements were published once, and accounts read those of their tenant. */
export async function checkAnnouncements(db: Db): Promise<void> {
  const audited = await listAuditRows(db, { module: 'announcements', operation_type: 'publish' });
  const times = audited.map(row => (JSON.parse(row.request_param) as { announcementId: number }).announcementId);
  const announcements = await db.selectFrom('announcement').selectAll().execute();
  const published = announcements.filter(row => row.published_at !== null).map(row => row.id);
  expect(times.toSorted(), 'published once').toEqual(published.toSorted());
  const reads = await db
    .selectFrom('announcement_read as r')
    .innerJoin('announcement as n', 'n.id', 'r.announcement_id')
    .innerJoin('account as a', 'a.id', 'r.user_id')
    .select(['n.id', 'n.tenant_id', 'n.published_at', 'r.read_at', 'a.tenant_id as reader'])
    .execute();
  for (const row of reads) {
    expect(row.reader, `reader of announcement ${row.id}`).toBe(row.tenant_id);
    expect(row.read_at, `announcement ${row.id}`).toBeGreaterThanOrEqual(row.published_at ?? Number.POSITIVE_INFINITY);
  }
}
