// Commands under `admin factors`.
import { integer, string } from '@oclif/core/flags';
import { roleName } from '@recordproof/shared/api/auth.ts';
import {
  getFactorRequirement,
  listUserFactors,
  putFactorRequirement,
  resetUserFactors,
  type UserFactors,
} from '@recordproof/shared/api/user-factors.ts';
import { findUser, userArgument } from '../accounts/commands.ts';
import { command } from '../platform/command.ts';
import { confirm, reasonFlag, toReason, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { name, tableOf } from '../platform/table.ts';

const pages = pagesOf('account', 'accounts', ['username']);

const hasFactor = ({ totp, passkeys }: UserFactors): boolean => totp !== null || passkeys > 0;

const table = tableOf<UserFactors>({
  USER: name(user => user.username),
  ROLE: user => user.role,
  'ONE-TIME CODES': user => (user.totp === null ? 'no' : `since ${toMinute(user.totp.since)}`),
  PASSKEYS: user => String(user.passkeys),
  'RECOVERY CODES': user => String(user.recoveryCodesLeft),
  REQUIRED: user => (user.required ? (hasFactor(user) ? 'yes' : 'yes, missing') : 'no'),
});

export const list = command({
  summary: 'List which second factors the accounts of the tenant have',
  examples: [{ command: 'admin factors list', description: 'By user name' }],
  flags: {
    ...pages.flags,
    keyword: string({ helpValue: '<text>', summary: 'Part of user name, e-mail or nickname.' }),
  },
  async run({ flags, context }) {
    const query = { ...pages.toQuery(flags), ...(flags.keyword !== undefined && { keyword: flags.keyword }) };
    return (await context.session()).call(listUserFactors, { query });
  },
  text: table,
  note: pages.note,
});

export const reset = command({
  summary: 'Remove the second factors of an account whose owner lost them',
  description: 'Its sessions end, its password stays, and the owner is told by mail.',
  examples: [{ command: 'admin factors reset alice --reason "lost phone"', description: 'Asks before it does' }],
  args: userArgument,
  flags: { reason: reasonFlag, yes: yesFlag },
  async run({ args, flags, context }) {
    const session = await context.session();
    const user = await findUser(session, args.user);
    if (!flags.yes)
      await confirm(context, `Remove the second factors of ${printable(user.username)}?`, 'nothing was removed');
    await session.call(resetUserFactors, { params: { id: user.id }, query: toReason(flags) });
    return { username: user.username };
  },
  note: ({ username }) => `${printable(username)} signs in with the password alone.`,
});

export const requireFactors = command({
  summary: 'Show or change which roles need a second factor',
  description:
    'Without flags it shows what is in force. After the grace period, signing in without a second factor leads to setting one up.',
  examples: [
    { command: 'admin factors require', description: 'What is in force' },
    { command: 'admin factors require --roles admin,monitor --grace-days 14', description: 'Two weeks to set one up' },
    { command: 'admin factors require --roles user,admin,monitor', description: 'The whole tenant' },
    { command: 'admin factors require --roles none', description: 'Require it of no role' },
  ],
  flags: {
    roles: string({ helpValue: '<roles>', summary: 'Roles, separated by commas, or none.' }),
    'grace-days': integer({ min: 0, max: 90, summary: 'Days until it is enforced.' }),
  },
  async run({ flags, context }) {
    const session = await context.session();
    const before = await session.call(getFactorRequirement);
    if (flags.roles === undefined && flags['grace-days'] === undefined) return before;
    const names = flags.roles === undefined ? before.roles : flags.roles.split(',');
    const roles = flags.roles === 'none' ? [] : names.map(one => parseField('Role', roleName, one.trim()));
    const body = { roles, graceDays: flags['grace-days'] ?? before.graceDays };
    return session.call(putFactorRequirement, { body });
  },
  note: ({ roles, graceDays }) =>
    roles.length === 0
      ? 'No role needs a second factor.'
      : `A second factor is required of: ${roles.join(', ')}. Grace period: ${graceDays} days.`,
});
