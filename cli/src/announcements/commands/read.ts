import { countUnreadAnnouncements, readAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { command } from '../../platform/command.ts';
import { announcementArgument, toAnnouncementId } from '../flags.ts';

export default command({
  summary: 'Mark an announcement as read',
  examples: [{ command: 'announcements read 7', description: 'It is not counted as unread any more' }],
  args: announcementArgument,
  async run({ args, context }) {
    const client = await context.session();
    const id = toAnnouncementId(args.announcement);
    await client.call(readAnnouncement, { params: { id } });
    return { id, unread: (await client.call(countUnreadAnnouncements)).count };
  },
  note: ({ unread }) => `${unread} still unread`,
});
