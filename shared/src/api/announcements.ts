// Announcements of administrators to all users of their tenant.
import { z } from 'zod';
import { byId, codeInQuery, isoTime, pageOf, pageQuery, plainText, recordId, textInLines } from './common.ts';
import { endpoint } from './endpoint.ts';

export const announcementStatus = { DRAFT: 0, PUBLISHED: 1, EXPIRED: 2 } as const;
export type AnnouncementStatus = (typeof announcementStatus)[keyof typeof announcementStatus];

export const announcementPriority = { NORMAL: 0, IMPORTANT: 1, URGENT: 2 } as const;
export type AnnouncementPriority = (typeof announcementPriority)[keyof typeof announcementPriority];

export const maxAnnouncementContent = 20_000;

export const announcementTitle = plainText(200);
export const announcementContent = textInLines(maxAnnouncementContent).meta({
  description: 'Markdown as it was written; the client that displays it must sanitize it',
});

const status = z.literal(Object.values(announcementStatus)).meta({ description: '0 DRAFT, 1 PUBLISHED, 2 EXPIRED' });
const priority = z
  .literal(Object.values(announcementPriority))
  .meta({ description: '0 normal, 1 important, 2 urgent' });
/** A time before the year 10000, whose format stays the same in the answer. */
const timestamp = z.iso
  .datetime({ offset: true })
  .refine(time => Date.parse(time) < Date.UTC(10_000, 0), 'must lie before the year 10000');

export const announcement = z.object({
  id: recordId,
  title: z.string(),
  priority,
  isPinned: z.boolean(),
  isRead: z.boolean(),
  publishedAt: isoTime,
  expireAt: isoTime.nullable(),
});
export type Announcement = z.infer<typeof announcement>;

const announcementDetails = announcement.extend({ content: z.string() });
export type AnnouncementDetails = z.infer<typeof announcementDetails>;

/** For administrators, before and after it is published. */
const managedAnnouncement = z.object({
  id: recordId,
  title: z.string(),
  content: z.string(),
  priority,
  isPinned: z.boolean(),
  status,
  publishAt: isoTime.nullable().meta({ description: 'when a draft is published by itself' }),
  publishedAt: isoTime.nullable(),
  expireAt: isoTime.nullable(),
  authorName: z.string(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type ManagedAnnouncement = z.infer<typeof managedAnnouncement>;

const managedItem = managedAnnouncement.omit({ content: true });
export type ManagedItem = z.infer<typeof managedItem>;

const keyword = plainText(100).optional().meta({ description: 'part of the title' });
const priorityFilter = codeInQuery(priority).optional();

const common = { feature: 'announcements', rate: 'other' } as const;

export const listAnnouncements = endpoint('listAnnouncements', {
  ...common,
  route: 'GET /api/v1/announcements',
  summary: 'List what is announced, pinned ones first',
  access: 'announcement:read',
  query: pageQuery(['publishedAt', 'priority']).extend({
    unread: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'true: only what one has not read; false: only what one has' }),
    priority: priorityFilter,
    keyword,
  }),
  answer: pageOf(announcement),
});

export const countUnreadAnnouncements = endpoint('countUnreadAnnouncements', {
  ...common,
  route: 'GET /api/v1/announcements/unread-count',
  summary: 'How many announcements one has not read',
  access: 'announcement:read',
  answer: z.object({ count: z.int().min(0) }),
});

export const getAnnouncement = endpoint('getAnnouncement', {
  ...common,
  route: 'GET /api/v1/announcements/{id}',
  summary: 'Read an announcement',
  description: 'Does not mark it as read.',
  access: 'announcement:read',
  params: byId,
  answer: announcementDetails,
  errors: ['ANNOUNCEMENT_NOT_FOUND'],
});

export const readAnnouncement = endpoint('readAnnouncement', {
  ...common,
  route: 'POST /api/v1/announcements/{id}/read',
  summary: 'Mark an announcement as read, for oneself',
  description: 'Marking it again changes nothing.',
  access: 'announcement:read',
  params: byId,
  errors: ['ANNOUNCEMENT_NOT_FOUND'],
});

const input = z.object({
  title: announcementTitle,
  content: announcementContent,
  priority: priority.default(announcementPriority.NORMAL),
  isPinned: z.boolean().default(false),
  publishAt: timestamp.nullable().default(null).meta({ description: 'publishes the draft by itself at this time' }),
  expireAt: timestamp.nullable().default(null).meta({ description: 'from then on it is shown to administrators only' }),
});
export type AnnouncementInput = z.output<typeof input>;

export const listManagedAnnouncements = endpoint('listManagedAnnouncements', {
  ...common,
  route: 'GET /api/v1/admin/announcements',
  summary: 'List announcements, drafts and expired ones too',
  access: 'announcement:admin',
  query: pageQuery(['createdAt', 'updatedAt', 'priority']).extend({
    status: codeInQuery(status).optional(),
    priority: priorityFilter,
    keyword,
  }),
  answer: pageOf(managedItem),
});

export const getManagedAnnouncement = endpoint('getManagedAnnouncement', {
  ...common,
  route: 'GET /api/v1/admin/announcements/{id}',
  summary: 'An announcement with all that administrators see of it',
  access: 'announcement:admin',
  params: byId,
  answer: managedAnnouncement,
  errors: ['ANNOUNCEMENT_NOT_FOUND'],
});

export const createAnnouncement = endpoint('createAnnouncement', {
  ...common,
  route: 'POST /api/v1/admin/announcements',
  summary: 'Write an announcement',
  description: 'It is a draft until it is published: by a call, or by itself at publishAt.',
  access: 'announcement:admin',
  body: input,
  answer: managedAnnouncement,
});

export const updateAnnouncement = endpoint('updateAnnouncement', {
  ...common,
  route: 'PUT /api/v1/admin/announcements/{id}',
  summary: 'Write an announcement anew',
  description:
    'Omitted fields have the defaults of a new one. A published announcement keeps its publishAt, even if another is sent; an expired one can only be deleted. No further notification is sent.',
  access: 'announcement:admin',
  params: byId,
  body: input,
  answer: managedAnnouncement,
  errors: ['ANNOUNCEMENT_NOT_FOUND', 'CONFLICT'],
});

export const publishAnnouncement = endpoint('publishAnnouncement', {
  ...common,
  route: 'POST /api/v1/admin/announcements/{id}/publish',
  summary: 'Publish a draft now; all accounts of the tenant are notified',
  access: 'announcement:admin',
  params: byId,
  answer: managedAnnouncement,
  errors: ['ANNOUNCEMENT_NOT_FOUND', 'CONFLICT'],
});

export const deleteAnnouncement = endpoint('deleteAnnouncement', {
  ...common,
  route: 'DELETE /api/v1/admin/announcements/{id}',
  summary: 'Delete an announcement, for all accounts',
  access: 'announcement:admin',
  params: byId,
  errors: ['ANNOUNCEMENT_NOT_FOUND'],
});
