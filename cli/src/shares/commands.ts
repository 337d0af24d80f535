// Commands under `shares`.
import { boolean, string } from '@oclif/core/flags';
import type { Page } from '@recordproof/shared/api/common.ts';
import { toFilePath } from '@recordproof/shared/api/files.ts';
import {
  createShare,
  getShareInfo,
  getShareStats,
  grantHeader,
  listShareLogs,
  listShares,
  maxSharedFiles,
  revokeShare,
  type Share,
  saveSharedFiles,
  shareTypes,
  updateShare,
} from '@recordproof/shared/api/shares.ts';
import { sharedFile } from '@recordproof/shared/transfer/download-source.ts';
import {
  downloadedNote,
  downloadFiles,
  downloadFlags,
  refuseAllTaken,
  refuseJsonPipe,
  refuseManyInPipe,
} from '../files/download-files.ts';
import { toFileRows } from '../files/file-table.ts';
import { filesArgument, findFileHashes } from '../files/find-file.ts';
import { nameEach } from '../files/local-names.ts';
import { many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import { Fixable } from '../platform/fixable.ts';
import { toMinute } from '../platform/output.ts';
import { reportEach } from '../platform/report.ts';
import { alignRows, tableOf, words } from '../platform/table.ts';
import { openTransfers } from '../platform/transfers.ts';
import { toSize } from '../platform/units.ts';
import { chooseFiles, enterFlags, enterShare, type NamedFile } from './enter-share.ts';
import { openAt, openCaller, parseShare, shareArgument, toLink } from './share-argument.ts';
import {
  accessesFlag,
  expiresFlag,
  getSharePassword,
  parseAccesses,
  parseMinutes,
  passwordFlags,
} from './share-flags.ts';
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

const sharesTable = tableOf<Share>({
  CODE: share => share.shareCode,
  STATUS: share => statusName(share.status),
  TYPE: share => `${typeName(share.shareType)}${share.hasPassword ? ', password' : ''}`,
  OPENED: toOpened,
  EXPIRES: share => toMinute(share.expireTime),
  FILES: words(share => share.files.map(toFilePath).join(', ')),
});

export const list = command({
  summary: 'List your shares',
  examples: [{ command: 'shares list', description: 'The newest twenty' }],
  flags: sharePages.flags,
  run: async ({ flags, context }) => (await context.session()).call(listShares, { query: sharePages.toQuery(flags) }),
  text: ({ records }: Page<Share>) => sharesTable(records),
  note: sharePages.note,
});

export const create = command({
  summary: 'Share files by a link',
  description:
    'Prints the link. Whoever has it can see, download and save the files until the share ends; with --private only accounts of this server’s tenant, logged in.',
  examples: [
    { command: 'shares create report.pdf', description: 'For a week, for whoever has the link' },
    { command: 'shares create 42 43 --expires 2h --max-accesses 3', description: 'For two hours, three times' },
    { command: 'shares create 0123abcd --ask-password', description: 'With a password, which is asked for' },
  ],
  args: filesArgument,
  flags: {
    expires: string({ ...expiresFlag, default: '7d' }),
    private: boolean({ summary: 'Only for accounts of the tenant.' }),
    'max-accesses': string(accessesFlag),
    ...passwordFlags,
  },
  async run({ flags, args, context }) {
    if (args.files.length > maxSharedFiles) throw new Fixable('usage', `a share holds at most ${maxSharedFiles} files`);
    const accesses = flags['max-accesses'];
    const wish = {
      expireMinutes: parseMinutes(flags.expires),
      shareType: flags.private ? shareTypes.PRIVATE : shareTypes.PUBLIC,
      ...(accesses !== undefined && { maxAccesses: parseAccesses(accesses) }),
    };
    const client = await context.session();
    const fileHash = await findFileHashes(client, args.files);
    const password = await getSharePassword(context, flags);
    const share = await client.call(createShare, {
      body: { fileHash, ...wish, ...(password !== undefined && { password }) },
    });
    return { link: await toLink(context, share.shareCode), ...share };
  },
  text: ({ link }) => link,
  note: share => shareNote(share),
});

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
  ],
  args: { share: shareArgument },
  flags: {
    expires: string(expiresFlag),
    private: boolean({ summary: 'Only for accounts of the tenant.', exclusive: ['public'] }),
    public: boolean({ summary: 'For whoever has the link.' }),
    'max-accesses': string({ ...accessesFlag, summary: `${accessesFlag.summary} "none" takes the limit away.` }),
    ...passwordFlags,
    'no-password': boolean({ summary: 'Take the password away.', exclusive: ['ask-password', 'password-stdin'] }),
  },
  async run({ flags, args, context }) {
    const { code } = parseShare(args.share);
    const accesses = flags['max-accesses'];
    const wish = {
      ...(flags.expires !== undefined && { expireMinutes: parseMinutes(flags.expires) }),
      ...(flags.private && { shareType: shareTypes.PRIVATE }),
      ...(flags.public && { shareType: shareTypes.PUBLIC }),
      ...(accesses !== undefined && { maxAccesses: toAccesses(accesses) }),
      ...(flags['no-password'] && { password: null }),
    };
    const client = await context.session();
    const password = await getSharePassword(context, flags);
    const body = { ...wish, ...(password !== undefined && { password }) };
    if (Object.keys(body).length === 0)
      throw new Fixable('usage', 'nothing is to be changed', { try: 'recordproof shares update --help' });
    const share = await client.call(updateShare, { params: { code }, body });
    return { link: await toLink(context, code), ...share };
  },
  text: ({ link }) => link,
  note: share => shareNote(share),
});

export const revoke = command({
  summary: 'Cancel shares of yours, for good',
  description: 'Downloads that run already may end; no other begins. What was saved from the share stays saved.',
  examples: [{ command: 'shares revoke <code>', description: 'By its code or its link' }],
  args: { shares: many({ required: true, description: 'Codes or links of the shares.' }) },
  async run({ args, context }) {
    const codes = args.shares.map(share => parseShare(share).code);
    const client = await context.session();
    return reportEach(
      codes,
      code => code,
      'recordproof shares revoke',
      async code => {
        await client.call(revokeShare, { params: { code } });
        return { name: code, status: 'cancelled' as const };
      },
    );
  },
  note: ({ files, failed }) => `${files.length - failed} cancelled${failed > 0 ? `, ${failed} failed` : ''}`,
  ending: ({ ending }) => ending,
});

export const logs = command({
  summary: 'Show who used one of your shares, and how often',
  examples: [{ command: 'shares logs <code>', description: 'The newest twenty uses, and the figures' }],
  args: { share: shareArgument },
  flags: usePages.flags,
  async run({ flags, args, context }) {
    const params = { code: parseShare(args.share).code };
    const client = await context.session();
    const logs = await client.call(listShareLogs, { params, query: usePages.toQuery(flags) });
    return { stats: await client.call(getShareStats, { params }), logs };
  },
  text: ({ logs }) => usesTable(logs.records),
  note: ({ stats }) => statsNote(stats),
});

export const info = command({
  summary: 'Show what a share holds, without opening it',
  description: 'Needs no account. The files of a share with a password are not told before it.',
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
      ['type', typeName(info.shareType)],
      ['password', info.hasPassword ? 'yes' : 'no'],
      ['expires', `${toMinute(info.expireTime)} UTC`],
      ...info.files.map(file => ['file', `${toFilePath(file)} (${toSize(file.fileSize)})`]),
    ]),
  note: info =>
    info.files.length > 0 ? '' : 'What it holds is shown to whoever may open it: recordproof shares get <share>',
});

export const get = command({
  summary: 'Download shared files and prove them on the way',
  description: [
    'Needs no account for a public share. Every chunk is checked against the manifest and the whole against its SHA-256.',
    'A download that was interrupted goes on when the same command is run again, which opens the share once more.',
  ].join(' '),
  examples: [
    { command: 'shares get https://proof.example.org/s/7gK2mQ9xTb4R', description: 'All files, into this folder' },
    { command: 'shares get <code> --file report.pdf --output - | less', description: 'One file, into a pipe' },
    { command: 'shares get <code> --password-stdin < secret.txt', description: 'From a script' },
  ],
  args: { share: shareArgument },
  flags: { ...enterFlags, ...downloadFlags },
  async run({ flags, args, context: here }) {
    const named = parseShare(args.share);
    refuseJsonPipe(flags);
    const context = await openAt(here, named);
    const choose = <F extends NamedFile>(all: readonly F[]) => {
      const chosen = nameEach(chooseFiles(all, flags.file));
      refuseManyInPipe(flags, chosen.length, 'name it with --file');
      return chosen;
    };
    const { share, caller } = await enterShare(context, named.code, {
      passwordFromStdin: flags['password-stdin'],
      check: files =>
        refuseAllTaken(
          flags,
          choose(files).map(({ name }) => name),
        ),
    });
    const files = choose(share.files);
    await using transfers = await openTransfers(context, flags['limit-rate'], caller);
    const wanted = files.map(({ file, name }) => ({
      fileHash: file.fileHash,
      source: sharedFile(named.code, file, share.grant),
      name,
      fileSize: file.fileSize,
    }));
    return await downloadFiles(transfers, wanted, flags, 'recordproof shares get');
  },
  note: downloadedNote,
  ending: ({ ending }) => ending,
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
  text: ({ files }) => toFileRows(files),
  note: ({ files }) => `${countFiles(files.length)} of yours now`,
});
