// Commands under `shares`.
import { boolean, string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { toFilePath } from '@recordproof/shared/api/files.ts';
import { getShareInfo, grantHeader, saveSharedFiles } from '@recordproof/shared/api/share-access.ts';
import { getShareStats, listShareLogs } from '@recordproof/shared/api/share-logs.ts';
import {
  createShare,
  listShares,
  maxSharedFiles,
  revokeShare,
  type Share,
  shareTypes,
  updateShare,
} from '@recordproof/shared/api/shares.ts';
import { filesTable } from '../files/file-table.ts';
import { anyFilesArgument, findFileHashes } from '../files/find-file.ts';
import { toFolder } from '../files/folder-argument.ts';
import { many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable, toMinute } from '../platform/output.ts';
import { changeEach, outcomeOf } from '../platform/report.ts';
import { alignRows, tableOf, words } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';
import { chooseFiles, enterFlags, enterShare } from './enter-share.ts';
import { openAt, openCaller, parseShare, shareArgument, toLink } from './share-argument.ts';
import {
  countFiles,
  shareNote,
  sharePages,
  statsNote,
  statusName,
  toOpened,
  typeName,
  usePages,
  usesTable,
} from './share-table.ts';
import {
  accessesFlag,
  changedFlags,
  expiresFlag,
  findChangedFiles,
  getSharePassword,
  parseAccesses,
  parseMinutes,
  passwordFlags,
  textFlags,
  toLinkTexts,
  toRemoved,
} from './term-flags.ts';

const toContents = ({ folder, files }: Share): string =>
  folder
    ? `${folder.path}/${folder.includesLater ? ' (with what comes later)' : ''}`
    : files.map(toFilePath).join(', ');

const sharesTable = tableOf<Share>({
  CODE: share => share.shareCode,
  STATUS: share => statusName(share.status),
  TYPE: share => `${typeName(share.shareType)}${share.hasPassword ? ', password' : ''}`,
  OPENED: toOpened,
  EXPIRES: share => toMinute(share.expireTime),
  FILES: words(toContents),
});

export const list = command({
  summary: 'List your shares',
  examples: [{ command: 'shares list', description: 'The newest twenty' }],
  flags: sharePages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listShares, { query: sharePages.toQuery(flags) }),
  text: sharesTable,
  note: sharePages.note,
});

export const create = command({
  summary: 'Share files or a folder by a link',
  description:
    'Prints the link. Everyone with the link can see, download and save the files until the share ends; with --private only accounts of this server’s tenant, signed in. Of a folder it asks whether the share gives only what is in it now (--fixed) or also what comes later (--later).',
  examples: [
    { command: 'shares create report.pdf', description: 'For a week, for everyone with the link' },
    { command: 'shares create 42 43 --expires 2h --max-accesses 3', description: 'For two hours, three times' },
    { command: 'shares create 0123abcd --ask-password', description: 'With a password, which is asked for' },
    { command: 'shares create --folder plans/2026 --later', description: 'A folder, with what comes into it later' },
  ],
  args: anyFilesArgument,
  flags: {
    folder: string({ helpValue: '<path>', summary: 'A folder instead of files, with the folders below it.' }),
    fixed: boolean({ summary: 'Of a folder: only what is in it now.', exclusive: ['later'] }),
    later: boolean({ summary: 'Of a folder: also what comes into it later.' }),
    expires: string({ ...expiresFlag, default: '7d' }),
    private: boolean({ summary: 'Only for accounts of the tenant.' }),
    'max-accesses': string(accessesFlag),
    ...passwordFlags,
    ...textFlags,
  },
  async run({ flags, args, context }) {
    const accesses = flags['max-accesses'];
    const settings = {
      expireMinutes: parseMinutes(flags.expires),
      shareType: flags.private ? shareTypes.PRIVATE : shareTypes.PUBLIC,
      ...(accesses !== undefined && { maxAccesses: parseAccesses(accesses) }),
      ...toLinkTexts(flags),
    };
    const client = await context.session();
    const contents = await findContents(client, context, { ...flags, files: args.files });
    const password = await getSharePassword(context, flags);
    const share = await client.call(createShare, {
      body: { ...contents, ...settings, ...(password !== undefined && { password }) },
    });
    return { link: await toLink(context, share.shareCode), ...share };
  },
  text: ({ link }) => link,
  note: share => shareNote(share),
});

type ShareInput = { readonly files: readonly string[]; folder?: string | undefined; fixed: boolean; later: boolean };

async function findContents(client: Client, context: CommandContext, { files, folder, fixed, later }: ShareInput) {
  if ((folder === undefined) === (files.length === 0))
    throw new CommandError('usage', 'name either files or one --folder', {
      try: 'shares create --folder <path> --fixed',
    });
  if (folder === undefined) {
    if (fixed || later) throw new CommandError('usage', '--fixed and --later are about a --folder');
    if (files.length > maxSharedFiles)
      throw new CommandError('usage', `a share holds at most ${maxSharedFiles} files`, {
        try: 'share their folder with --folder, or make several shares',
      });
    return { fileHash: await findFileHashes(client, files) };
  }
  return { folder: toFolder(folder), includesLater: later || (!fixed && (await asksForLater(context))) };
}

async function asksForLater({ prompter }: CommandContext): Promise<boolean> {
  const question = 'Give only what is in the folder now, or also what comes into it later? (fixed/later)';
  const answer = (await prompter.ask(question, 'say --fixed or --later')).trim().toLowerCase();
  if (answer !== 'fixed' && answer !== 'later')
    throw new CommandError('usage', `"${answer}" is not an answer: answer fixed or later`);
  return answer === 'later';
}

const toAccesses = (text: string): number | null => (text === 'none' ? null : parseAccesses(text));

export const update = command({
  summary: 'Change one of your shares',
  description:
    'Changes what the flags name. An expired share that is given more time is there again; a cancelled one stays cancelled.',
  examples: [
    { command: 'shares update <code> --expires 7d', description: 'A week from now' },
    {
      command: 'shares update <code> --private --max-accesses none',
      description: 'For accounts only, without a limit',
    },
    { command: 'shares update <code> --no-password', description: 'Take the password away' },
    { command: 'shares update <code> --add-file b.pdf --mail-to bob', description: 'One more file, and a mail' },
  ],
  args: { share: shareArgument },
  flags: {
    expires: string(expiresFlag),
    private: boolean({ summary: 'Only for accounts of the tenant.', exclusive: ['public'] }),
    public: boolean({ summary: 'For everyone with the link.' }),
    'max-accesses': string({ ...accessesFlag, summary: `${accessesFlag.summary} "none" takes the limit away.` }),
    ...passwordFlags,
    'no-password': boolean({ summary: 'Take the password away.', exclusive: ['ask-password', 'password-stdin'] }),
    ...textFlags,
    ...changedFlags,
  },
  async run({ flags, args, context }) {
    const { code } = parseShare(args.share);
    const accesses = flags['max-accesses'];
    const settings = {
      ...(flags.expires !== undefined && { expireMinutes: parseMinutes(flags.expires) }),
      ...(flags.private && { shareType: shareTypes.PRIVATE }),
      ...(flags.public && { shareType: shareTypes.PUBLIC }),
      ...(accesses !== undefined && { maxAccesses: toAccesses(accesses) }),
      ...(flags['no-password'] && { password: null }),
      ...toLinkTexts(flags),
      ...toRemoved(flags),
    };
    const client = await context.session();
    const files = await findChangedFiles(client, flags);
    const password = await getSharePassword(context, flags);
    const body = { ...settings, ...files, ...(password !== undefined && { password }) };
    if (Object.keys(body).length === 0)
      throw new CommandError('usage', 'nothing is to be changed', { try: 'recordproof shares update --help' });
    const share = await client.call(updateShare, { params: { code }, body });
    return { link: await toLink(context, code), ...share };
  },
  text: ({ link }) => link,
  note: share => shareNote(share),
});

export const revoke = command({
  summary: 'Cancel shares of yours, for good',
  description: 'Running downloads may finish; no new one starts. Files saved from the share stay saved.',
  examples: [{ command: 'shares revoke <code>', description: 'By its code or its link' }],
  args: { shares: many({ required: true, description: 'Codes or links of the shares.' }) },
  async run({ args, context }) {
    const codes = args.shares.map(share => parseShare(share).code);
    const client = await context.session();
    const change = (code: string) => client.call(revokeShare, { params: { code } });
    return changeEach(codes, code => code, 'recordproof shares revoke', { done: 'cancelled', change });
  },
  ...outcomeOf('cancelled'),
});

export const logs = command({
  summary: 'Show the uses of one of your shares',
  examples: [{ command: 'shares logs <code>', description: 'The newest twenty uses, and the figures' }],
  args: { share: shareArgument },
  flags: usePages.flags,
  async run({ flags, args, context }) {
    const params = { code: parseShare(args.share).code };
    const client = await context.session();
    const logs = await client.call(listShareLogs, { params, query: usePages.toQuery(flags) });
    return { stats: await client.call(getShareStats, { params }), logs };
  },
  text: ({ logs }) => usesTable(logs),
  note: ({ stats }) => statsNote(stats),
});

export const info = command({
  summary: 'Show the files of a share without opening it',
  description: 'Needs no account. The files of a share with a password are shown only after it.',
  examples: [{ command: 'shares info https://proof.example.org/s/7gK2mQ9xTb4R', description: 'By its link' }],
  args: { share: shareArgument },
  async run({ args, context }) {
    const named = parseShare(args.share);
    const { client } = await openCaller(await openAt(context, named), false);
    return client.call(getShareInfo, { params: { code: named.code } });
  },
  text: info =>
    alignRows([
      ['share', info.shareCode],
      ...(info.title ? [['title', printable(info.title)] as const] : []),
      ['type', typeName(info.shareType)],
      ['password', info.hasPassword ? 'yes' : 'no'],
      ['expires', `${toMinute(info.expireTime)} UTC`],
      ...info.files.map(file => ['file', `${toFilePath(file)} (${toSize(file.fileSize)})`]),
    ]),
  note: info =>
    info.files.length > 0 ? '' : 'its files are shown to those who may open it: recordproof shares get <share>',
});

export const save = command({
  summary: 'Save shared files as files of your own',
  description:
    'On the server, without downloading them: each becomes a record of yours, with its own proof, and stays when the share ends. Saving again changes nothing.',
  examples: [{ command: 'shares save <code>', description: 'All files of the share' }],
  args: { share: shareArgument },
  flags: enterFlags,
  async run({ flags, args, context: here }) {
    const named = parseShare(args.share);
    const context = await openAt(here, named);
    const passwordFromStdin = flags['password-stdin'];
    const { share, caller } = await enterShare(context, named.code, { passwordFromStdin, mustBeKnown: true });
    const fileHash = chooseFiles(share.files, flags.file).map(file => file.fileHash);
    const files = await caller.client.call(saveSharedFiles, {
      params: { code: named.code },
      headers: { [grantHeader]: share.grant },
      body: { fileHash },
    });
    return { files };
  },
  text: ({ files }) => filesTable(files),
  note: ({ files }) => `${countFiles(files.length)} of yours now`,
});
