import { getAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { announcementArgument, toAnnouncementId } from '../../announcements/flags.ts';
import { announcementText } from '../../announcements/tables.ts';
import { command } from '../../command.ts';

export default command({
  summary: 'Show an announcement; it stays unread until you say that you have read it',
  examples: [{ command: 'announcements show 7', description: 'Its text, as it was written' }],
  args: announcementArgument,
  run: async ({ args, program }) =>
    (await program.session()).call(getAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  text: announcementText,
});
