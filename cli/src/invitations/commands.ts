// Commands under `admin invitations`.
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { email, roles } from '@recordproof/shared/api/auth.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import {
  createInvitation,
  type Invitation,
  invitationStates,
  listInvitations,
  maxInvitationHours,
  revokeInvitation,
} from '@recordproof/shared/api/invitations.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { extra, name, tableOf } from '../platform/table.ts';

const invitationPages = pagesOf('invitation', 'invitations', ['createdAt']);

const invitationTable = tableOf<Invitation>({
  ID: invitation => invitation.id,
  FOR: name(invitation => invitation.email ?? '(link)'),
  ROLE: invitation => invitation.role,
  STATE: invitation => invitation.state.toLowerCase(),
  EXPIRES: invitation => toMinute(invitation.expiresAt),
  ACCOUNT: extra(invitation => invitation.acceptedBy ?? '-'),
  'CREATED BY': extra(invitation => invitation.createdBy),
});

const hoursPer: Readonly<Record<string, number>> = { h: 1, d: 24 };

function parseHours(text: string): number {
  const [, number, unit = ''] = /^([1-9][0-9]{0,4})([hd])$/.exec(text) ?? [];
  const hours = Number(number) * (hoursPer[unit] ?? Number.NaN);
  if (hours <= maxInvitationHours) return hours;
  throw new CommandError('usage', `--expires takes hours or days, from 1h to 365d, not "${text}"`, {
    try: '24h or 7d',
  });
}

export const create = command({
  summary: 'Invite a person to open an account',
  description:
    'With --email the invitation is mailed to that person alone. Without, a link is printed once: pass it on. An invitation opens one account.',
  examples: [
    { command: 'admin invitations create --email alice@example.org', description: 'Mailed; a week to accept it' },
    { command: 'admin invitations create --role monitor --expires 24h', description: 'A link for one day' },
  ],
  flags: {
    email: string({ helpValue: '<address>', summary: 'Where the invitation is mailed.' }),
    role: option({ options: roles, default: 'user', summary: 'Role of the account.' })(),
    expires: string({
      helpValue: '<time>',
      default: '7d',
      summary: 'How long it can be accepted: 24h, 7d; at most 365d.',
    }),
  },
  async run({ flags, context }) {
    const address = flags.email === undefined ? undefined : parseField('E-mail', email, flags.email);
    const body = {
      role: flags.role,
      expiresInHours: parseHours(flags.expires),
      ...(address !== undefined && { email: address }),
    };
    return (await context.session()).call(createInvitation, { body });
  },
  text: ({ link }) => link ?? '',
  note({ invitation: { id, email: address, role, expiresAt }, delivery }) {
    const until = `Invitation ${id} (${role}) can be accepted until ${toMinute(expiresAt)} UTC.`;
    if (address === null) return `${until} The link is not shown again.`;
    const way = delivery === 'file' ? 'This server sends no mail: it is in the folder mail/ of its data folder.' : '';
    return `${until} It is mailed to ${printable(address)}. ${way}`.trim();
  },
});

export const list = command({
  summary: 'List the invitations of the tenant, the newest first',
  examples: [{ command: 'admin invitations list --state PENDING', description: 'Not accepted yet' }],
  flags: {
    ...invitationPages.flags,
    state: option({ options: invitationStates, summary: 'Only invitations in this state.' })(),
  },
  async run({ flags, context }) {
    const query = { ...invitationPages.toQuery(flags), ...(flags.state && { state: flags.state }) };
    return (await context.session()).call(listInvitations, { query });
  },
  text: invitationTable,
  note: invitationPages.note,
});

export const revoke = command({
  summary: 'Revoke an invitation that was not accepted',
  examples: [{ command: 'admin invitations revoke 7', description: 'Its link no longer works' }],
  args: { id: argument({ required: true, description: 'The invitation: its id.' }) },
  async run({ args, context }) {
    const id = parseField('Id', recordId, args.id);
    return (await context.session()).call(revokeInvitation, { params: { id } });
  },
  note: ({ id }) => `Invitation ${id} is revoked.`,
});
