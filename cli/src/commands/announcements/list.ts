import { boolean, option, string } from '@oclif/core/flags';
import { announcementPriority, listAnnouncements } from '@recordproof/shared/api/announcements.ts';
import { announcementsNote, announcementsTable } from '../../announcements/tables.ts';
import { command } from '../../command.ts';
import { codeOf, namesOf } from '../../names.ts';
import { pageFlagsOf, toPageQuery } from '../../pages.ts';

export default command({
  summary: 'List what is announced: ^ pinned ones first, * unread',
  examples: [
    { command: 'announcements list', description: 'The newest twenty' },
    { command: 'announcements list --unread', description: 'What you have not read' },
  ],
  flags: {
    ...pageFlagsOf(['publishedAt', 'priority']),
    unread: boolean({ summary: 'Only what you have not read.' }),
    priority: option({ options: namesOf(announcementPriority), summary: 'Only those as urgent as this.' })(),
    keyword: string({ helpValue: '<text>', summary: 'Part of the title.' }),
  },
  async run({ flags, program }) {
    const query = {
      ...toPageQuery(flags),
      ...(flags.unread && { unread: 'true' as const }),
      ...(flags.priority && { priority: codeOf(announcementPriority, flags.priority) }),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
    };
    return (await program.session()).call(listAnnouncements, { query });
  },
  text: announcementsTable,
  note: announcementsNote,
});
