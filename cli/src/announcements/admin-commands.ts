// Commands under `admin announcements`.
import { boolean, option, string } from '@oclif/core/flags';
import {
  announcementPriority,
  announcementStatus,
  announcementTitle,
  createAnnouncement,
  deleteAnnouncement,
  getManagedAnnouncement,
  listManagedAnnouncements,
  publishAnnouncement,
  updateAnnouncement,
} from '@recordproof/shared/api/announcements.ts';
import { codeOf, namesOf } from '../platform/code-names.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { getField, parseField } from '../platform/fields.ts';
import { printable } from '../platform/output.ts';
import { getText } from '../platform/written-text.ts';
import { announcementArgument, textField, toAnnouncementId, toTimeOrNone, writingFlags } from './flags.ts';
import { managedNote, managedPages, managedTable, managedText } from './tables.ts';

export const list = command({
  summary: 'List announcements, drafts and expired ones too',
  examples: [{ command: 'admin announcements list --status draft', description: 'Drafts' }],
  flags: {
    ...managedPages.flags,
    status: option({ options: namesOf(announcementStatus), summary: 'Only those in this state.' })(),
    keyword: string({ helpValue: '<text>', summary: 'Part of the title.' }),
  },
  async run({ flags, context }) {
    const query = {
      ...managedPages.toQuery(flags),
      ...(flags.status && { status: codeOf(announcementStatus, flags.status) }),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
    };
    return (await context.session()).call(listManagedAnnouncements, { query });
  },
  text: managedTable,
  note: managedPages.note,
});

export const show = command({
  summary: 'Show an announcement in any state',
  examples: [{ command: 'admin announcements show 7', description: 'Its text, its times, its state' }],
  args: announcementArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(getManagedAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  text: managedText,
});

export const create = command({
  summary: 'Write an announcement; it is a draft until it is published',
  examples: [
    { command: 'admin announcements create --title "Tonight" --text - < news.md', description: 'A draft' },
    {
      command: 'admin announcements create --title "Now" --text "We are back" --publish',
      description: 'Published at once',
    },
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
      publishAt: toTimeOrNone('--publish-at', flags['publish-at']) ?? null,
      expireAt: toTimeOrNone('--expire-at', flags['expire-at']) ?? null,
    };
    const client = await context.session();
    const draft = await client.call(createAnnouncement, { body });
    return flags.publish ? client.call(publishAnnouncement, { params: { id: draft.id } }) : draft;
  },
  text: ({ id }) => id,
  note: managedNote,
});

export const update = command({
  summary: 'Change an announcement; other fields stay as they are',
  description: 'Users are not notified again of a published one.',
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
    const publishAt = toTimeOrNone('--publish-at', flags['publish-at']);
    const expireAt = toTimeOrNone('--expire-at', flags['expire-at']);
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

export const publish = command({
  summary: 'Publish a draft now; all users are notified',
  examples: [{ command: 'admin announcements publish 7', description: 'It cannot be published a second time' }],
  args: announcementArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(publishAnnouncement, { params: { id: toAnnouncementId(args.announcement) } }),
  note: managedNote,
});

export const remove = command({
  summary: 'Delete an announcement for all users',
  examples: [
    { command: 'admin announcements delete 7', description: 'Shows its title and asks' },
    { command: 'admin announcements delete 7 --yes', description: 'For scripts: does not ask' },
  ],
  args: announcementArgument,
  flags: { yes: yesFlag },
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
  note: ({ id }) => `announcement ${id} was deleted`,
});
