// How announcements look on a terminal.
import {
  type Announcement,
  type AnnouncementDetails,
  announcementPriority,
  announcementStatus,
  type ManagedAnnouncement,
  type ManagedItem,
} from '@recordproof/shared/api/announcements.ts';
import type { Page } from '@recordproof/shared/api/common.ts';
import { nameOfCode } from '../names.ts';
import { indented, toList, toMinute, toTable } from '../output.ts';
import { pageNoteOf } from '../pages.ts';

const priorityOf = (code: number): string => nameOfCode(announcementPriority, code);
const momentOf = (iso: string | null): string => (iso === null ? '-' : toMinute(iso));

export const announcementsTable = ({ records }: Page<Announcement>): string =>
  toList(
    ['', 'ID', 'PRIORITY', 'PUBLISHED', 'TITLE'],
    records.map(({ id, priority, publishedAt, title, isPinned, isRead }) => [
      `${isPinned ? '^' : ' '}${isRead ? ' ' : '*'}`,
      id,
      priorityOf(priority),
      toMinute(publishedAt),
      title,
    ]),
  );

export const announcementsNote = pageNoteOf('announcement', 'announcements');

/** Markdown as it was written. */
export const announcementText = ({ title, publishedAt, expireAt, priority, content }: AnnouncementDetails): string => {
  const head = toTable([
    ['title', title],
    ['priority', priorityOf(priority)],
    ['published', publishedAt],
    ['expires', expireAt ?? 'never'],
  ]);
  return `${head}\n\n${indented(content)}`;
};

export const managedTable = ({ records }: Page<ManagedItem>): string =>
  toList(
    ['ID', 'STATUS', 'PRIORITY', 'PINNED', 'PUBLISHES', 'PUBLISHED', 'EXPIRES', 'BY', 'TITLE'],
    records.map(one => [
      one.id,
      nameOfCode(announcementStatus, one.status),
      priorityOf(one.priority),
      one.isPinned ? 'yes' : 'no',
      momentOf(one.publishAt),
      momentOf(one.publishedAt),
      momentOf(one.expireAt),
      one.authorName,
      one.title,
    ]),
  );

export const managedText = (one: ManagedAnnouncement): string => {
  const head = toTable([
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
