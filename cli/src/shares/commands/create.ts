import { boolean, string } from '@oclif/core/flags';
import { createShare, maxSharedFiles, shareTypes } from '@recordproof/shared/api/shares.ts';
import { filesArgument, findFileHashes } from '../../files/find-file.ts';
import { command } from '../../platform/command.ts';
import { Fixable } from '../../platform/fixable.ts';
import { toLink } from '../share-argument.ts';
import {
  accessesFlag,
  expiresFlag,
  getSharePassword,
  parseAccesses,
  parseMinutes,
  passwordFlags,
} from '../share-flags.ts';
import { shareNote } from '../share-table.ts';

export default command({
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
