import { countUnreadAnnouncements, readAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { announcementArgument, toAnnouncementId } from '../../announcements/flags.ts';
import { command } from '../../command.ts';

export default command({
  summary: 'Mark an announcement as read',
  examples: [{ command: 'announcements read 7', description: 'It is not counted as unread any more' }],
  args: announcementArgument,
  async run({ args, program }) {
    const client = await program.session();
    const id = toAnnouncementId(args.announcement);
    await client.call(readAnnouncement, { params: { id } });
    return { id, unread: (await client.call(countUnreadAnnouncements)).count };
  },
  note: ({ unread }) => `${unread} still unread`,
});
