import { getAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { command } from '../../platform/command.ts';
import { announcementArgument, toAnnouncementId } from '../flags.ts';
import { announcementText } from '../tables.ts';

export default command({
  summary: 'Show an announcement; it stays unread until you say that you have read it',
  examples: [{ command: 'announcements show 7', description: 'Its text, as it was written' }],
  args: announcementArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(getAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  text: announcementText,
});
