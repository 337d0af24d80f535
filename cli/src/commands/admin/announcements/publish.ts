import { publishAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { announcementArgument, toAnnouncementId } from '../../../announcements/flags.ts';
import { managedNote } from '../../../announcements/tables.ts';
import { command } from '../../../command.ts';

export default command({
  summary: 'Publish a draft now; everybody is told',
  examples: [{ command: 'admin announcements publish 7', description: 'It cannot be published a second time' }],
  args: announcementArgument,
  run: async ({ args, program }) =>
    (await program.session()).call(publishAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  note: managedNote,
});
