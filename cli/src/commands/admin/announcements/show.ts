import { getManagedAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { announcementArgument, toAnnouncementId } from '../../../announcements/flags.ts';
import { managedText } from '../../../announcements/tables.ts';
import { command } from '../../../command.ts';

export default command({
  summary: 'Show an announcement in whatever state it is',
  examples: [{ command: 'admin announcements show 7', description: 'Its text, its times, its state' }],
  args: announcementArgument,
  run: async ({ args, program }) =>
    (await program.session()).call(getManagedAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  text: managedText,
});
