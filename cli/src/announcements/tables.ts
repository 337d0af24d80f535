// Tables of announcements.
import {
  type Announcement,
  type AnnouncementDetails,
  announcementPriority,
  announcementStatus,
  type ManagedAnnouncement,
  type ManagedItem,
} from '@recordproof/shared/api/announcements.ts';
import { nameOfCode } from '../platform/code-names.ts';
import { indented, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { alignRows, extra, name, tableOf, words } from '../platform/table.ts';

const priorityOf = (code: number): string => nameOfCode(announcementPriority, code);
const toTimeText = (iso: string | null): string => (iso === null ? '-' : toMinute(iso));

export const announcementsTable = tableOf<Announcement>({
  '': one => `${one.isPinned ? '^' : ' '}${one.isRead ? ' ' : '*'}`,
  ID: one => one.id,
  PRIORITY: one => priorityOf(one.priority),
  PUBLISHED: one => toMinute(one.publishedAt),
  TITLE: words(one => one.title),
});

export const announcementPages = pagesOf('announcement', 'announcements', ['publishedAt', 'priority']);
export const managedPages = pagesOf('announcement', 'announcements', ['createdAt', 'updatedAt', 'priority']);

/** Markdown as it was written. */
export const announcementText = ({ title, publishedAt, expireAt, priority, content }: AnnouncementDetails): string => {
  const head = alignRows([
    ['title', title],
    ['priority', priorityOf(priority)],
    ['published', publishedAt],
    ['expires', expireAt ?? 'never'],
  ]);
  return `${head}\n\n${indented(content)}`;
};

export const managedTable = tableOf<ManagedItem>({
  ID: one => one.id,
  STATUS: one => nameOfCode(announcementStatus, one.status),
  PRIORITY: one => priorityOf(one.priority),
  PINNED: extra(one => (one.isPinned ? 'yes' : 'no')),
  PUBLISHES: extra(one => toTimeText(one.publishAt)),
  PUBLISHED: one => toTimeText(one.publishedAt),
  EXPIRES: extra(one => toTimeText(one.expireAt)),
  BY: name(one => one.authorName),
  TITLE: words(one => one.title),
});

export const managedText = (one: ManagedAnnouncement): string => {
  const head = alignRows([
    ['id', one.id],
    ['title', one.title],
    ['status', nameOfCode(announcementStatus, one.status)],
    ['priority', priorityOf(one.priority)],
    ['pinned', one.isPinned ? 'yes' : 'no'],
    ['publishes itself', one.publishAt ?? 'no'],
    ['published', one.publishedAt ?? 'not yet'],
    ['expires', one.expireAt ?? 'never'],
    ['written by', one.authorName],
    ['updated', one.updatedAt],
  ]);
  return `${head}\n\n${indented(one.content)}`;
};

export const managedNote = ({ id, status, publishAt }: ManagedAnnouncement): string => {
  const plan = publishAt !== null && status === announcementStatus.DRAFT ? `, publishes itself at ${publishAt}` : '';
  return `announcement ${id} is ${nameOfCode(announcementStatus, status)}${plan}`;
};
