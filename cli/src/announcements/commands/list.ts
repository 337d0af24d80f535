import { boolean, option, string } from '@oclif/core/flags';
import { announcementPriority, listAnnouncements } from '@recordproof/shared/api/announcements.ts';
import { codeOf, namesOf } from '../../platform/code-names.ts';
import { command } from '../../platform/command.ts';
import { announcementPages, announcementsTable } from '../tables.ts';

export default command({
  summary: 'List what is announced: ^ pinned ones first, * unread',
  examples: [
    { command: 'announcements list', description: 'The newest twenty' },
    { command: 'announcements list --unread', description: 'What you have not read' },
  ],
  flags: {
    ...announcementPages.flags,
    unread: boolean({ summary: 'Only what you have not read.' }),
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
