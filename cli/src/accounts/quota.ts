// The command `admin users quota`: shows or sets the storage quota of an account.
import { string } from '@oclif/core/flags';
import { getUserQuota, setUserQuota, type UserQuota } from '@recordproof/shared/api/user-quotas.ts';
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { reasonFlag, toReason } from '../platform/confirm.ts';
import { alignRows } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';
import { findUser, userArgument } from './commands.ts';

const serverDefault = 'default';

function parseLimit(flag: string, text: string, parse: (text: string) => number | undefined): number | null {
  if (text === serverDefault) return null;
  const value = text === '0' ? 0 : parse(text);
  if (value !== undefined && Number.isSafeInteger(value)) return value;
  throw new CommandError('usage', `${flag} takes a limit or the word ${serverDefault}, not "${text}"`, {
    try: '--bytes 10GB --files 20000, or --bytes default',
  });
}

const parseCount = (text: string): number | undefined => (/^[1-9][0-9]{0,12}$/.test(text) ? Number(text) : undefined);

const from = (own: number | null): string => (own === null ? ' (default of the server)' : ' (set for this account)');

const quotaText = ({ user, own }: UserQuota): string =>
  alignRows([
    ['bytes', `${toSize(user.usedBytes)} of ${toSize(user.maxBytes)}${from(own.maxBytes)}`],
    ['files', `${user.usedFiles} of ${user.maxFiles}${from(own.maxFiles)}`],
  ]);

export const quota = command({
  summary: 'Show or set what an account may store',
  description: 'A limit below what is used deletes nothing: it rejects new files. Without a flag nothing is changed.',
  examples: [
    { command: 'admin users quota alice', description: 'What is used, and the limits in force' },
    { command: 'admin users quota alice --bytes 50GB --files 100000', description: 'Limits of her own' },
    { command: 'admin users quota alice --bytes default', description: 'The limit of the server again' },
  ],
  args: userArgument,
  flags: {
    bytes: string({ helpValue: '<size>', summary: 'Such as 50GB, or default.' }),
    files: string({ helpValue: '<n>', summary: 'How many files, or default.' }),
    reason: reasonFlag,
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const params = { id: (await findUser(client, args.user)).id };
    const before = await client.call(getUserQuota, { params });
    if (flags.bytes === undefined && flags.files === undefined) return before;
    const { own } = before;
    const maxBytes = flags.bytes === undefined ? own.maxBytes : parseLimit('--bytes', flags.bytes, parseSize);
    const maxFiles = flags.files === undefined ? own.maxFiles : parseLimit('--files', flags.files, parseCount);
    return client.call(setUserQuota, { params, body: { maxBytes, maxFiles, ...toReason(flags) } });
  },
  text: quotaText,
  note: ({ mode }) =>
    mode === 'SHADOW' ? 'quota.mode is SHADOW on this server: limits are logged, not enforced.' : '',
});
