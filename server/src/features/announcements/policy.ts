// The status of an announcement, and what each status allows. Pure.
import { type AnnouncementStatus, announcementStatus } from '@recordproof/shared/api/announcements.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { AnnouncementRow } from './queries.ts';

type Times = Pick<AnnouncementRow, 'publish_at' | 'published_at' | 'expire_at'>;

const { DRAFT, PUBLISHED, EXPIRED } = announcementStatus;

const isOver = ({ expire_at }: Pick<Times, 'expire_at'>, now: Time): boolean => expire_at !== null && expire_at <= now;

export function toStatus(row: Times, now: Time): AnnouncementStatus {
  if (row.published_at === null) return DRAFT;
  return isOver(row, now) ? EXPIRED : PUBLISHED;
}

/** Returns null if it can be published now, else the reason. */
export function mayPublish(row: Times, now: Time): string | null {
  if (row.published_at !== null) return 'this announcement was published already';
  return isOver(row, now) ? 'the time this announcement expires at is over; change it first' : null;
}

/** Returns whether the draft's time to be published has come. */
export const isDue = (row: Times, now: Time): boolean =>
  row.publish_at !== null && row.publish_at <= now && mayPublish(row, now) === null;

/** Returns null if it can be edited, else the reason. */
export const mayUpdate = (row: Times, now: Time): string | null =>
  toStatus(row, now) === EXPIRED ? 'this announcement has expired; write another one' : null;

/** Returns null if the times of a current announcement are consistent, else the one that is not. */
export function findWrongTime({ publish_at, published_at, expire_at }: Times, now: Time): string | null {
  if (expire_at !== null && expire_at <= now) return 'expireAt: must lie in the future';
  if (published_at !== null || publish_at === null) return null;
  if (publish_at <= now) return 'publishAt: must lie in the future';
  return expire_at !== null && expire_at <= publish_at ? 'expireAt: must be after publishAt' : null;
}
