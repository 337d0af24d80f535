import { option, string } from '@oclif/core/flags';
import { announcementStatus, listManagedAnnouncements } from '@recordproof/shared/api/announcements.ts';
import { announcementsNote, managedTable } from '../../../announcements/tables.ts';
import { command } from '../../../command.ts';
import { codeOf, namesOf } from '../../../names.ts';
import { pageFlagsOf, toPageQuery } from '../../../pages.ts';

export default command({
  summary: 'List announcements, drafts and expired ones too',
  examples: [{ command: 'admin announcements list --status draft', description: 'What is not published yet' }],
  flags: {
    ...pageFlagsOf(['createdAt', 'updatedAt', 'priority']),
    status: option({ options: namesOf(announcementStatus), summary: 'Only those in this state.' })(),
    keyword: string({ helpValue: '<text>', summary: 'Part of the title.' }),
  },
  async run({ flags, program }) {
    const query = {
      ...toPageQuery(flags),
      ...(flags.status && { status: codeOf(announcementStatus, flags.status) }),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
    };
    return (await program.session()).call(listManagedAnnouncements, { query });
  },
  text: managedTable,
  note: announcementsNote,
});
