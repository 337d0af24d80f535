// Commands under `admin tenants`.
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { email, tenantName } from '@recordproof/shared/api/auth.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import {
  createTenant,
  deleteTenant,
  listTenants,
  type Tenant,
  tenantStatuses,
  updateTenantStatus,
} from '@recordproof/shared/api/tenants.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, reasonFlag, toReason, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { printable, toMinute, writeMessage } from '../platform/output.ts';
import { pagesOf, walkPages } from '../platform/pages.ts';
import { extra, name, tableOf } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';

const tenantPages = pagesOf('tenant', 'tenants', ['createdAt', 'name']);

const tenantsTable = tableOf<Tenant>({
  TENANT: name(tenant => tenant.name),
  STATUS: tenant => tenant.status.toLowerCase(),
  USERS: tenant => String(tenant.users),
  FILES: tenant => String(tenant.files),
  SIZE: tenant => toSize(tenant.bytes),
  SINCE: tenant => toMinute(tenant.createdAt),
  ADMINS: extra(tenant => String(tenant.administrators)),
  REASON: extra(tenant => tenant.statusReason ?? '-'),
  ID: extra(tenant => tenant.id),
});

const tenantArgument = { tenant: argument({ required: true, description: 'The tenant: its name.' }) };

async function findTenant(client: Client, called: string): Promise<Tenant> {
  const readPage = (page: number) =>
    client.call(listTenants, { query: { keyword: called, page, size: 100, sort: 'name,asc' } });
  for await (const tenant of walkPages(readPage)) if (tenant.name === called) return tenant;
  throw new CommandError('refused', `there is no tenant "${printable(called)}"`, {
    try: 'recordproof admin tenants list',
  });
}

export const list = command({
  summary: 'List the tenants of the installation, the newest first',
  description: 'What they use, never what they store. Deleted tenants are listed only with --status DELETED.',
  examples: [{ command: 'admin tenants list --status SUSPENDED', description: 'Suspended tenants' }],
  flags: {
    ...tenantPages.flags,
    keyword: string({ helpValue: '<text>', summary: 'Part of the name.' }),
    status: option({ options: tenantStatuses, summary: 'Only tenants in this state.' })(),
  },
  async run({ flags, context }) {
    const query = {
      ...tenantPages.toQuery(flags),
      ...(flags.keyword !== undefined && { keyword: flags.keyword }),
      ...(flags.status && { status: flags.status }),
    };
    return (await context.session()).call(listTenants, { query });
  },
  text: tenantsTable,
  note: tenantPages.note,
});

export const create = command({
  summary: 'Create a tenant and invite its first administrator',
  description:
    'With --admin-email the invitation is mailed. Without, a link is printed, this once: pass it on. Where registration is closed, create the account on the server: recordproof-server admin create --tenant NAME.',
  examples: [
    { command: 'admin tenants create acme --admin-email ada@example.org', description: 'Mailed' },
    { command: 'admin tenants create acme', description: 'Prints the link of the invitation' },
  ],
  args: tenantArgument,
  flags: { 'admin-email': string({ helpValue: '<address>', summary: 'Address of its first administrator.' }) },
  async run({ flags, args, context }) {
    const address = flags['admin-email'] === undefined ? null : parseField('E-mail', email, flags['admin-email']);
    const called = parseField('Tenant', tenantName, args.tenant);
    const body = { name: called, ...(address !== null && { administratorEmail: address }) };
    return (await context.session()).call(createTenant, { body });
  },
  text: ({ invitation }) => invitation?.link ?? '',
  note({ tenant, invitation, delivery }) {
    const created = `Tenant ${tenant.name} is created.`;
    if (invitation === null)
      return `${created} Registration is closed: run recordproof-server admin create --tenant ${tenant.name}.`;
    const until = `The invitation can be accepted until ${toMinute(invitation.expiresAt)} UTC.`;
    if (invitation.email === null) return `${created} ${until} The link is not shown again.`;
    const way = delivery === 'file' ? ' This server sends no mail: it is in the folder mail/ of its data folder.' : '';
    return `${created} ${until} It is mailed to ${printable(invitation.email)}.${way}`;
  },
});

const statusNote = ({ name: called, status }: Tenant): string => `Tenant ${called} is ${status.toLowerCase()}.`;

export const suspend = command({
  summary: 'Suspend a tenant: its users cannot sign in, and its share links do not open',
  description: 'Its sessions end at once. Its files stay, and backups, checks and proofs go on.',
  examples: [{ command: 'admin tenants suspend acme --reason "contract ended"', description: 'Asks first' }],
  args: tenantArgument,
  flags: { reason: reasonFlag, yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, name: called, users } = await findTenant(client, args.tenant);
    if (!flags.yes)
      await confirm(context, `Suspend ${called} and end the sessions of its ${users} users?`, 'nothing was suspended');
    return client.call(updateTenantStatus, { params: { id }, body: { status: 'SUSPENDED', ...toReason(flags) } });
  },
  note: statusNote,
});

export const reactivate = command({
  summary: 'Reactivate a suspended tenant',
  examples: [{ command: 'admin tenants reactivate acme', description: 'Its users can sign in again' }],
  args: tenantArgument,
  flags: { reason: reasonFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id } = await findTenant(client, args.tenant);
    return client.call(updateTenantStatus, { params: { id }, body: { status: 'ACTIVE', ...toReason(flags) } });
  },
  note: statusNote,
});

export const remove = command({
  summary: 'Delete a tenant for good',
  description:
    'Its sessions end at once; its accounts, files, messages and tickets are deleted in the background. Bytes that no other tenant needs are purged after the retention time. Issued proofs stay verifiable, and the audit log is kept.',
  examples: [
    { command: 'admin tenants delete acme', description: 'Shows what there is, and asks for the name' },
    { command: 'admin tenants delete acme --confirm acme', description: 'For scripts: does not ask' },
  ],
  args: tenantArgument,
  flags: {
    reason: reasonFlag,
    confirm: string({ helpValue: '<name>', summary: 'The name once more, instead of asking.' }),
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { id, name: called, users, files, bytes } = await findTenant(client, args.tenant);
    if (flags.confirm === undefined)
      writeMessage(`${called} has ${users} users and ${files} files, ${toSize(bytes)}. They are deleted for good.`);
    const repeated =
      flags.confirm ??
      (await context.prompter.ask(`The name of the tenant, to delete it`, 'confirm with --confirm NAME'));
    if (repeated.trim() !== called)
      throw new CommandError('refused', `the tenant is not called "${printable(repeated)}": nothing was deleted`, {
        try: `--confirm ${called}`,
      });
    return client.call(deleteTenant, { params: { id }, query: { name: called, ...toReason(flags) } });
  },
  note: ({ name: called }) => `Tenant ${called} is being deleted; "admin tenants list" shows it until that is done.`,
});
