import { getManagedAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { command } from '../../../platform/command.ts';
import { announcementArgument, toAnnouncementId } from '../../flags.ts';
import { managedText } from '../../tables.ts';

export default command({
  summary: 'Show an announcement in whatever state it is',
  examples: [{ command: 'admin announcements show 7', description: 'Its text, its times, its state' }],
  args: announcementArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(getManagedAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  text: managedText,
});
