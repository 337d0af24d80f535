// Commands of an owner under `drop`.
import { string as argument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import {
  createDropLink,
  type DropArrival,
  type DropField,
  type DropLink,
  deleteDropLink,
  dropPagePrefix,
  getDropLink,
  listDropArrivals,
  listDropLinks,
  maxDropMinutes,
  mostDropFiles,
  updateDropLink,
} from '@recordproof/shared/api/drop-links.ts';
import { sharePassword } from '@recordproof/shared/api/shares.ts';
import { joinPath } from '@recordproof/shared/file-path.ts';
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { toFolder } from '../files/folder-argument.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { readSecretFromStdin } from '../platform/prompter.ts';
import { alignRows, extra, name, tableOf } from '../platform/table.ts';
import { parseExpiry } from '../platform/time-flags.ts';
import { toSize } from '../platform/units.ts';
import { passwordFlags } from '../shares/term-flags.ts';

const linkArgument = { link: argument({ required: true, description: 'Id of the drop link.' }) };
const toParams = (id: string) => ({ params: { id: parseField('Id', recordId, id) } });

const toLink = async (context: CommandContext, { code }: Pick<DropLink, 'code'>): Promise<string> =>
  `${(await context.settings()).server.value.replace(/\/+$/, '')}${dropPagePrefix}${code}`;

function parseBytes(text: string): number {
  const bytes = parseSize(text.trim()) ?? 0;
  if (bytes >= 1) return bytes;
  throw new CommandError('usage', `"${printable(text)}" is not a size`, { try: '500MB or 10GB' });
}

/** `Mail:mail?` is a field "Mail" of the kind MAIL that may stay empty. */
function parseDropField(text: string): DropField {
  const [, label = '', kind = 'text', optional] = /^(.+?)(?::(name|mail|text))?(\?)?$/i.exec(text.trim()) ?? [];
  if (label === '')
    throw new CommandError('usage', `--field "${printable(text)}" has no label`, {
      try: '--field Name --field "Mail:mail?"',
    });
  return { label, kind: kind.toUpperCase() as DropField['kind'], required: optional === undefined };
}

const linkTable = tableOf<DropLink>({
  ID: link => link.id,
  STATE: link => link.state.toLowerCase(),
  TITLE: name(link => link.title),
  FOLDER: name(link => link.path ?? '/'),
  ARRIVED: link => `${link.arrivedFiles} of ${link.maxFiles}`,
  EXPIRES: link => toMinute(link.expireTime),
  CODE: extra(link => link.code),
});

const linkPages = pagesOf('drop link', 'drop links', ['createdAt']);
const arrivalPages = pagesOf('file', 'files', ['receivedAt']);

const toFilled = ({ fields }: DropArrival): string =>
  Object.entries(fields)
    .map(([label, value]) => `${label}: ${value}`)
    .join(', ');

const arrivalTable = tableOf<DropArrival>({
  RECEIVED: one => toMinute(one.receivedAt),
  FILE: name(one => joinPath(one.path ?? '', one.fileName)),
  SIZE: one => toSize(one.fileSize),
  PROOF: one => one.proofStatus.toLowerCase(),
  FROM: one => one.ip,
  SENDER: name(toFilled),
  SHA256: extra(one => one.contentHash.slice('sha256:'.length)),
});

const linkNote = (link: DropLink): string =>
  `${link.state.toLowerCase()} until ${toMinute(link.expireTime)} UTC, ${link.arrivedFiles} of ${link.maxFiles} files arrived${link.hasPassword ? ', with a password' : ''}`;

export const create = command({
  summary: 'Create a drop link: people without an account send files into a folder',
  description:
    'Prints the link. Everyone who has it can send files until it expires or a limit is reached; what arrives counts for your quota. Each sender gets a signed receipt.',
  examples: [
    { command: 'drop create "Exam papers" --folder Exams/2026', description: 'For two weeks, into a folder' },
    { command: 'drop create Offers --field Company --field "Mail:mail?" --expires 3d', description: 'With fields' },
  ],
  args: { title: argument({ required: true, description: 'What is asked for.' }) },
  flags: {
    folder: string({ helpValue: '<folder>', summary: 'Where files arrive. Default: the top level.' }),
    message: string({ helpValue: '<text>', summary: 'What senders read.' }),
    field: string({
      multiple: true,
      helpValue: '<label>',
      summary: 'What senders fill in: "Name:name", "Mail:mail?", "Class". "?" makes it optional. Repeatable.',
    }),
    expires: string({ helpValue: '<time>', default: '14d', summary: 'How long from now: 12h, 14d; at most 366d.' }),
    'max-files': integer({ min: 1, max: mostDropFiles, summary: 'How many files in all.' }),
    'max-bytes': string({ helpValue: '<size>', summary: 'How much in all: 500MB, 10GB.' }),
    'max-file-bytes': string({ helpValue: '<size>', summary: 'How large a file may be.' }),
    'max-files-per-address': integer({ min: 1, max: mostDropFiles, summary: 'How many files from one address.' }),
    ...passwordFlags,
  },
  async run({ flags, args, context }) {
    const path = toFolder(flags.folder ?? '');
    const password = flags['password-stdin']
      ? parseField('Password', sharePassword, await readSecretFromStdin())
      : flags['ask-password']
        ? parseField(
            'Password',
            sharePassword,
            await context.prompter.askHidden('Password of the drop link', 'pipe it in with --password-stdin'),
          )
        : undefined;
    const body = {
      title: args.title,
      expireMinutes: parseExpiry(flags.expires, maxDropMinutes, '12h or 14d'),
      fields: (flags.field ?? []).map(parseDropField),
      ...(path !== '' && { path }),
      ...(flags.message !== undefined && { message: flags.message }),
      ...(password !== undefined && { password }),
      ...(flags['max-files'] !== undefined && { maxFiles: flags['max-files'] }),
      ...(flags['max-bytes'] !== undefined && { maxBytes: parseBytes(flags['max-bytes']) }),
      ...(flags['max-file-bytes'] !== undefined && { maxFileBytes: parseBytes(flags['max-file-bytes']) }),
      ...(flags['max-files-per-address'] !== undefined && { maxFilesPerAddress: flags['max-files-per-address'] }),
    };
    const link = await (await context.session()).call(createDropLink, { body });
    return { link: await toLink(context, link), ...link };
  },
  text: ({ link }) => link,
  note: link => `id ${link.id}, ${linkNote(link)}`,
});

export const list = command({
  summary: 'List your drop links',
  examples: [{ command: 'drop list', description: 'The newest twenty' }],
  flags: linkPages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listDropLinks, { query: linkPages.toQuery(flags) }),
  text: linkTable,
  note: linkPages.note,
});

export const show = command({
  summary: 'Show a drop link and what arrived through it',
  examples: [{ command: 'drop show 7', description: 'The newest twenty files, and who sent them' }],
  args: linkArgument,
  flags: arrivalPages.flags,
  async run({ flags, args, context }) {
    const client = await context.session();
    const link = await client.call(getDropLink, toParams(args.link));
    const arrivals = await client.call(listDropArrivals, {
      ...toParams(args.link),
      query: arrivalPages.toQuery(flags),
    });
    return { address: await toLink(context, link), link, arrivals };
  },
  text:
    ({ address, link, arrivals }) =>
    room =>
      `${alignRows([
        ['link', address],
        ['title', printable(link.title)],
        ['state', link.state.toLowerCase()],
        ['folder', printable(link.path ?? '/')],
        ['expires', `${toMinute(link.expireTime)} UTC`],
        ['arrived', `${link.arrivedFiles} of ${link.maxFiles} files, ${toSize(link.arrivedBytes)}`],
      ])}\n\n${arrivalTable(arrivals.records)(room)}`,
  note: ({ arrivals }) => arrivalPages.note(arrivals),
});

export const close = command({
  summary: 'Close a drop link, or open it again',
  description: 'A closed link takes nothing, not even the rest of an upload. What arrived stays.',
  examples: [
    { command: 'drop close 7', description: 'Nothing arrives any more' },
    { command: 'drop close 7 --reopen', description: 'It takes files again' },
  ],
  args: linkArgument,
  flags: { reopen: boolean({ summary: 'Open it again.' }) },
  run: async ({ flags, args, context }) =>
    (await context.session()).call(updateDropLink, { ...toParams(args.link), body: { closed: !flags.reopen } }),
  note: (link: DropLink) => `drop link ${link.id} is ${linkNote(link)}`,
});

export const remove = command({
  summary: 'Delete a drop link and what its senders filled in',
  description: 'The files that arrived stay. Receipts that senders have saved stay valid.',
  examples: [{ command: 'drop delete 7 --yes', description: 'Without asking' }],
  args: linkArgument,
  flags: { yes: boolean({ summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const link = await client.call(getDropLink, toParams(args.link));
    if (!flags.yes)
      await confirm(
        context,
        `Delete the drop link "${printable(link.title)}" and the details of its senders?`,
        'nothing was deleted',
      );
    await client.call(deleteDropLink, toParams(args.link));
    return { id: link.id, title: link.title };
  },
  note: ({ id }) => `drop link ${id} deleted`,
});
