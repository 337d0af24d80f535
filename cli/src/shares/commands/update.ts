import { boolean, string } from '@oclif/core/flags';
import { shareTypes, updateShare } from '@recordproof/shared/api/shares.ts';
import { command } from '../../platform/command.ts';
import { Fixable } from '../../platform/fixable.ts';
import { parseShare, shareArgument, toLink } from '../share-argument.ts';
import {
  accessesFlag,
  expiresFlag,
  getSharePassword,
  parseAccesses,
  parseMinutes,
  passwordFlags,
} from '../share-flags.ts';
import { shareNote } from '../share-table.ts';

const toAccesses = (text: string): number | null => (text === 'none' ? null : parseAccesses(text));

export default command({
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
