import { boolean } from '@oclif/core/flags';
import { deleteAnnouncement, getManagedAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { command } from '../../../platform/command.ts';
import { confirm } from '../../../platform/confirm.ts';
import { printable } from '../../../platform/output.ts';
import { announcementArgument, toAnnouncementId } from '../../flags.ts';

export default command({
  summary: 'Delete an announcement, for everybody',
  examples: [
    { command: 'admin announcements delete 7', description: 'Shows its title and asks' },
    { command: 'admin announcements delete 7 --yes', description: 'For scripts: does not ask' },
  ],
  args: announcementArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const params = { id: toAnnouncementId(args.announcement) };
    if (!flags.yes) {
      const { title } = await client.call(getManagedAnnouncement, { params });
      await confirm(context, `Delete "${printable(title)}"?`, 'nothing was deleted');
    }
    await client.call(deleteAnnouncement, { params });
    return params;
  },
  note: ({ id }) => `announcement ${id} is gone`,
});
