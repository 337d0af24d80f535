import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { createShare, maxSharedFiles, shareTypes } from '@recordproof/shared/api/shares.ts';
import { command } from '../../command.ts';
import { parseFileHash } from '../../file-table.ts';
import { Fixable } from '../../fixable.ts';
import { toLink } from '../../shares/share-argument.ts';
import {
  accessesFlag,
  expiresFlag,
  getSharePassword,
  parseAccesses,
  parseMinutes,
  passwordFlags,
} from '../../shares/share-flags.ts';
import { shareNote } from '../../shares/share-table.ts';

export default command({
  summary: 'Share files by a link',
  description:
    'Prints the link. Whoever has it can see, download and save the files until the share ends; with --private only accounts of this server’s tenant, logged in.',
  examples: [
    { command: 'share create <fileHash>', description: 'For a week, for whoever has the link' },
    { command: 'share create <fileHash> --expires 2h --max-accesses 3', description: 'For two hours, three times' },
    { command: 'share create <fileHash> --ask-password', description: 'With a password, which is asked for' },
  ],
  args: {
    files: argument({
      required: true,
      multiple: true,
      description: 'Hashes of the files, as `files list` shows them.',
    }),
  },
  flags: {
    expires: string({ ...expiresFlag, default: '7d' }),
    private: boolean({ summary: 'Only for accounts of the tenant.' }),
    'max-accesses': string(accessesFlag),
    ...passwordFlags,
  },
  async run({ flags, args, program }) {
    const hashes = (args.files as unknown as string[]).map(parseFileHash);
    if (hashes.length > maxSharedFiles) throw new Fixable('usage', `a share holds at most ${maxSharedFiles} files`);
    const accesses = flags['max-accesses'];
    const wish = {
      fileHash: hashes,
      expireMinutes: parseMinutes(flags.expires),
      shareType: flags.private ? shareTypes.PRIVATE : shareTypes.PUBLIC,
      ...(accesses !== undefined && { maxAccesses: parseAccesses(accesses) }),
    };
    const client = await program.session();
    const password = await getSharePassword(program, flags);
    const share = await client.call(createShare, { body: { ...wish, ...(password !== undefined && { password }) } });
    return { link: await toLink(program, share.shareCode), ...share };
  },
  text: ({ link }) => link,
  note: share => shareNote(share),
});
