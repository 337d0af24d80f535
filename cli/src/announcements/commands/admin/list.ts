import { option, string } from '@oclif/core/flags';
import { announcementStatus, listManagedAnnouncements } from '@recordproof/shared/api/announcements.ts';
import { codeOf, namesOf } from '../../../platform/code-names.ts';
import { command } from '../../../platform/command.ts';
import { managedPages, managedTable } from '../../tables.ts';

export default command({
  summary: 'List announcements, drafts and expired ones too',
  examples: [{ command: 'admin announcements list --status draft', description: 'What is not published yet' }],
  flags: {
    ...managedPages.flags,
    status: option({ options: namesOf(announcementStatus), summary: 'Only those in this state.' })(),
    keyword: string({ helpValue: '<text>', summary: 'Part of the title.' }),
  },
  async run({ flags, context }) {
    const query = {
      ...managedPages.toQuery(flags),
      ...(flags.status && { status: codeOf(announcementStatus, flags.status) }),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
    };
    return (await context.session()).call(listManagedAnnouncements, { query });
  },
  text: managedTable,
  note: managedPages.note,
});
