// Commands under `announcements`.
import { boolean, option, string } from '@oclif/core/flags';
import {
  announcementPriority,
  countUnreadAnnouncements,
  getAnnouncement,
  listAnnouncements,
  readAnnouncement,
} from '@recordproof/shared/api/announcements.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { command } from '../platform/command.ts';
import { announcementArgument, toAnnouncementId } from './flags.ts';
import { announcementPages, announcementsTable, announcementText } from './tables.ts';

export const list = command({
  summary: 'List announcements: ^ pinned ones first, * unread',
  examples: [
    { command: 'announcements list', description: 'The newest twenty' },
    { command: 'announcements list --unread', description: 'Those that you have not read' },
  ],
  flags: {
    ...announcementPages.flags,
    unread: boolean({ summary: 'Only those that you have not read.' }),
    priority: option({ options: namesOf(announcementPriority), summary: 'Only those as urgent as this.' })(),
    keyword: string({ helpValue: '<text>', summary: 'Part of the title.' }),
  },
  async run({ flags, context }) {
    const query = {
      ...announcementPages.toQuery(flags),
      ...(flags.unread && { unread: 'true' as const }),
      ...(flags.priority && { priority: codeOf(announcementPriority, flags.priority) }),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
    };
    return (await context.session()).call(listAnnouncements, { query });
  },
  text: announcementsTable,
  note: announcementPages.note,
});

export const show = command({
  summary: 'Show an announcement; it stays unread until you say that you have read it',
  examples: [{ command: 'announcements show 7', description: 'Its text, as it was written' }],
  args: announcementArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(getAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  text: announcementText,
});

export const read = command({
  summary: 'Mark an announcement as read',
  examples: [{ command: 'announcements read 7', description: 'It is not counted as unread any more' }],
  args: announcementArgument,
  async run({ args, context }) {
    const client = await context.session();
    const id = toAnnouncementId(args.announcement);
    await client.call(readAnnouncement, { params: { id } });
    return { id, unread: (await client.call(countUnreadAnnouncements)).count };
  },
  note: ({ unread }) => `${unread} still unread`,
});
