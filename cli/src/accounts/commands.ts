// Commands under `admin users` and `admin roles`.
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import {
  type Account,
  accountStatuses,
  endUserSessions,
  listPermissions,
  listRoles,
  listUsers,
  updateUserRole,
  updateUserStatus,
} from '@recordproof/shared/api/accounts.ts';
import { type Role, roles } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { externalIdPattern } from '@recordproof/shared/api/common.ts';
import { isCalled } from '../friends/find-people.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, reasonFlag, toReason, yesFlag } from '../platform/confirm.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf, walkPages } from '../platform/pages.ts';
import { alignRows, extra, name, tableOf } from '../platform/table.ts';

const userPages = pagesOf('account', 'accounts', ['registerTime', 'username']);

const usersTable = tableOf<Account>({
  USER: name(user => user.username),
  ROLE: user => (user.kind === 'service' ? `${user.role} (service)` : user.role),
  STATUS: user => user.status.toLowerCase(),
  SINCE: user => toMinute(user.registerTime),
  NICKNAME: extra(user => user.nickname ?? '-'),
  'EXTERNAL ID': extra(user => user.externalId),
  'E-MAIL': name(user => user.email),
});

const userText = (user: Account): string =>
  alignRows([
    ['user name', user.username],
    ['nickname', user.nickname ?? 'none'],
    ['e-mail', user.email],
    ['role', user.role],
    ['kind', user.kind === 'service' ? 'service account' : 'person'],
    ['status', user.status.toLowerCase()],
    ['registered', user.registerTime],
    ['external id', user.externalId],
    ['id', user.id],
  ]);

const standingNote = ({ username, role, status }: Account): string =>
  `${printable(username)} is ${status.toLowerCase()}, with the role ${role}`;

export const userArgument = {
  user: argument({ required: true, description: 'The account: its user name, e-mail address or external id.' }),
};

export async function findUser(client: Client, nameOrId: string): Promise<Account> {
  const hasName = isCalled(nameOrId);
  const isMeant = (user: Account): boolean =>
    user.externalId === nameOrId || hasName(user) || user.email === nameOrId.toLowerCase();
  // Searches do not match external ids.
  const keyword = externalIdPattern.test(nameOrId) ? {} : { keyword: nameOrId };
  const readPage = (page: number) =>
    client.call(listUsers, { query: { ...keyword, page, size: 100, sort: 'username,asc' } });
  if (nameOrId.trim() !== '') {
    for await (const user of walkPages(readPage)) if (isMeant(user)) return user;
  }
  throw new CommandError('refused', `there is no account "${printable(nameOrId)}" in the tenant`, {
    try: 'recordproof admin users list --keyword <part of the name>',
  });
}

export const list = command({
  summary: 'List the accounts of the tenant, the newest first',
  examples: [
    { command: 'admin users list --role admin', description: 'Administrators' },
    { command: 'admin users list --status SUSPENDED', description: 'Suspended accounts' },
  ],
  flags: {
    ...userPages.flags,
    keyword: string({ helpValue: '<text>', summary: 'Part of user name, e-mail or nickname.' }),
    role: option({ options: roles, summary: 'Only accounts with this role.' })(),
    status: option({ options: accountStatuses, summary: 'Only accounts in this state.' })(),
  },
  async run({ flags, context }) {
    const query = {
      ...userPages.toQuery(flags),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
      ...(flags.role && { role: flags.role }),
      ...(flags.status && { status: flags.status }),
    };
    return (await context.session()).call(listUsers, { query });
  },
  text: usersTable,
  note: userPages.note,
});

export const show = command({
  summary: 'Show an account',
  examples: [{ command: 'admin users show alice', description: 'Role, state, address, ids' }],
  args: userArgument,
  run: async ({ args, context }) => findUser(await context.session(), args.user),
  text: userText,
});

export const suspend = command({
  summary: 'Suspend an account: its sessions end, and it cannot sign in',
  description: 'Its files and shares stay as they are.',
  examples: [
    { command: 'admin users suspend alice --reason "has left"', description: 'Asks' },
    { command: 'admin users suspend alice --yes', description: 'For scripts: does not ask' },
  ],
  args: userArgument,
  flags: { reason: reasonFlag, yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, username } = await findUser(client, args.user);
    if (!flags.yes) await confirm(context, `Suspend ${printable(username)}?`, 'nothing was changed');
    return client.call(updateUserStatus, { params: { id }, body: { status: 'SUSPENDED', ...toReason(flags) } });
  },
  note: standingNote,
});

export const activate = command({
  summary: 'Reactivate a suspended account',
  examples: [{ command: 'admin users activate alice', description: 'alice can sign in' }],
  args: userArgument,
  flags: { reason: reasonFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id } = await findUser(client, args.user);
    return client.call(updateUserStatus, { params: { id }, body: { status: 'ACTIVE', ...toReason(flags) } });
  },
  note: standingNote,
});

export const role = command({
  summary: 'Give an account another role; its sessions end',
  description: 'The last administrator of a tenant keeps the role.',
  examples: [
    { command: 'admin users role alice monitor', description: 'Asks, then alice has to sign in again' },
    { command: 'admin users role alice admin --yes --reason "on call"', description: 'For scripts: does not ask' },
  ],
  args: {
    ...userArgument,
    role: argument({ required: true, options: [...roles], description: 'The new role.' }),
  },
  flags: { reason: reasonFlag, yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, username, role: before } = await findUser(client, args.user);
    const role = args.role as Role;
    if (!flags.yes)
      await confirm(context, `Make ${printable(username)} ${role} instead of ${before}?`, 'nothing was changed');
    return client.call(updateUserRole, { params: { id }, body: { role, ...toReason(flags) } });
  },
  note: standingNote,
});

export const endSessions = command({
  summary: 'End every session of an account, on all machines; it may sign in again',
  examples: [{ command: 'admin users end-sessions alice', description: 'As after a lost laptop; asks' }],
  args: userArgument,
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, username, externalId } = await findUser(client, args.user);
    if (!flags.yes) await confirm(context, `End every session of ${printable(username)}?`, 'nothing was ended');
    await client.call(endUserSessions, { params: { id } });
    return { username, externalId };
  },
  note: ({ username }) => `${printable(username)} has to sign in again everywhere`,
});

export const showRoles = command({
  summary: 'Show the roles and their permissions',
  examples: [{ command: 'admin roles list', description: 'user, admin, monitor and their permissions' }],
  run: async ({ context }) => (await context.session()).call(listRoles),
  text: roles =>
    roles
      .map(({ role, description, permissions }) => `${role}: ${description}\n${toLines(permissions).join('\n')}`)
      .join('\n\n'),
});

const mostColumns = 76;

/** Permissions next to each other, in lines that fit any terminal. */
function toLines(permissions: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const permission of permissions) {
    if (line.length + permission.length > mostColumns) {
      lines.push(line);
      line = '';
    }
    line += `  ${permission}`;
  }
  return [...lines, line];
}

export const showPermissions = command({
  summary: 'Show every permission and its meaning',
  examples: [{ command: 'admin roles permissions', description: 'The meaning of each permission' }],
  run: async ({ context }) => (await context.session()).call(listPermissions),
  text: permissions => alignRows(permissions.map(({ permission, description }) => [permission, description])),
});
