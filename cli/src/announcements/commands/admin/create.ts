import { boolean } from '@oclif/core/flags';
import {
  announcementPriority,
  announcementTitle,
  createAnnouncement,
  publishAnnouncement,
} from '@recordproof/shared/api/announcements.ts';
import { codeOf } from '../../../platform/code-names.ts';
import { command } from '../../../platform/command.ts';
import { getField } from '../../../platform/fields.ts';
import { getText } from '../../../platform/written-text.ts';
import { textField, toMomentOrNone, writingFlags } from '../../flags.ts';
import { managedNote } from '../../tables.ts';

export default command({
  summary: 'Write an announcement; it is a draft until it is published',
  examples: [
    { command: 'admin announcements create --title "Tonight" --text - < news.md', description: 'A draft' },
    { command: 'admin announcements create --title "Now" --text "We are back" --publish', description: 'Told at once' },
    { command: 'admin announcements create --publish-at 2026-12-24T18:00', description: 'Asks, and publishes itself' },
  ],
  flags: { ...writingFlags, publish: boolean({ summary: 'Publish it at once.', exclusive: ['publish-at'] }) },
  async run({ flags, context }) {
    const title = await getField(context, flags.title, { name: 'Title', flag: '--title', schema: announcementTitle });
    const content = await getText(context, flags.text, textField);
    const body = {
      title,
      content,
      priority: codeOf(announcementPriority, flags.priority ?? 'normal'),
      isPinned: flags.pinned ?? false,
      publishAt: toMomentOrNone('--publish-at', flags['publish-at']) ?? null,
      expireAt: toMomentOrNone('--expire-at', flags['expire-at']) ?? null,
    };
    const client = await context.session();
    const draft = await client.call(createAnnouncement, { body });
    return flags.publish ? client.call(publishAnnouncement, { params: { id: draft.id } }) : draft;
  },
  text: ({ id }) => id,
  note: managedNote,
});
