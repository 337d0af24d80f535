import {
  announcementPriority,
  announcementTitle,
  getManagedAnnouncement,
  updateAnnouncement,
} from '@recordproof/shared/api/announcements.ts';
import { codeOf } from '../../../platform/code-names.ts';
import { command } from '../../../platform/command.ts';
import { parseField } from '../../../platform/fields.ts';
import { getText } from '../../../platform/written-text.ts';
import { announcementArgument, textField, toAnnouncementId, toMomentOrNone, writingFlags } from '../../flags.ts';
import { managedNote } from '../../tables.ts';

export default command({
  summary: 'Change an announcement; what is not named stays as it is',
  description: 'Nobody is told again of one that is published.',
  examples: [
    { command: 'admin announcements update 7 --title "Tomorrow night"', description: 'Another title' },
    {
      command: 'admin announcements update 7 --publish-at never',
      description: 'It waits until it is published by hand',
    },
  ],
  args: announcementArgument,
  flags: writingFlags,
  async run({ flags, args, context }) {
    const client = await context.session();
    const params = { id: toAnnouncementId(args.announcement) };
    const now = await client.call(getManagedAnnouncement, { params });
    const publishAt = toMomentOrNone('--publish-at', flags['publish-at']);
    const expireAt = toMomentOrNone('--expire-at', flags['expire-at']);
    const body = {
      title: flags.title === undefined ? now.title : parseField('Title', announcementTitle, flags.title),
      content: flags.text === undefined ? now.content : await getText(context, flags.text, textField),
      priority: flags.priority === undefined ? now.priority : codeOf(announcementPriority, flags.priority),
      isPinned: flags.pinned ?? now.isPinned,
      publishAt: publishAt === undefined ? now.publishAt : publishAt,
      expireAt: expireAt === undefined ? now.expireAt : expireAt,
    };
    return client.call(updateAnnouncement, { params, body });
  },
  note: managedNote,
});
