import { publishAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { command } from '../../../platform/command.ts';
import { announcementArgument, toAnnouncementId } from '../../flags.ts';
import { managedNote } from '../../tables.ts';

export default command({
  summary: 'Publish a draft now; everybody is told',
  examples: [{ command: 'admin announcements publish 7', description: 'It cannot be published a second time' }],
  args: announcementArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(publishAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  note: managedNote,
});
