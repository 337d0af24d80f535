// Tenants of an installation, for its administrators: list, create, suspend, reactivate, delete.
import { z } from 'zod';
import { email, mailCodeReceipt, tenantName } from './auth.ts';
import { byId, count, isoTime, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

/** DELETING: a job is running. DELETED: only rows that proofs and audit log refer to are left. */
export const tenantStatuses = ['ACTIVE', 'SUSPENDED', 'DELETING', 'DELETED'] as const;
export type TenantStatus = (typeof tenantStatuses)[number];

export const tenant = z.object({
  id: recordId,
  name: z.string(),
  status: z.enum(tenantStatuses),
  statusReason: z.string().nullable(),
  statusChangedAt: isoTime.nullable(),
  /** The first tenant has the installation administrators and cannot be suspended or deleted. */
  isFirst: z.boolean(),
  users: count,
  administrators: count,
  files: count,
  bytes: count,
  createdAt: isoTime,
});
export type Tenant = z.infer<typeof tenant>;

const common = { feature: 'tenants', access: 'installation:admin', rate: 'other' } as const;
const path = '/api/v1/system/tenants';
const reason = z.string().max(256).optional();

export const listTenants = endpoint('listTenants', {
  ...common,
  route: `GET ${path}`,
  summary: 'List the tenants of the installation',
  description: 'What they use, never what they store. Deleted tenants are listed only when asked for by status.',
  query: pageQuery(['createdAt', 'name']).extend({
    keyword: z.string().max(63).optional().meta({ description: 'part of the name' }),
    status: z.enum(tenantStatuses).optional(),
  }),
  answer: pageOf(tenant),
});

export const createTenant = endpoint('createTenant', {
  ...common,
  tokenScope: 'none',
  route: `POST ${path}`,
  summary: 'Create a tenant and invite its first administrator',
  description:
    'With an address the invitation is mailed. Without one its link is answered, this once. With registration closed there is no invitation: create the account with "recordproof-server admin create --tenant NAME".',
  body: z.object({ name: tenantName, administratorEmail: email.optional() }),
  answer: z.object({
    tenant,
    invitation: z
      .object({ email: z.string().nullable(), link: z.string().nullable(), expiresAt: isoTime })
      .nullable()
      .meta({ description: 'null where registration is closed' }),
    delivery: mailCodeReceipt.shape.delivery.meta({ description: 'how it is mailed, when it is' }),
  }),
  errors: ['DATA_ALREADY_EXISTED', 'USER_HAS_EXISTED'],
});

export const updateTenantStatus = endpoint('updateTenantStatus', {
  ...common,
  route: `PUT ${path}/{id}/status`,
  summary: 'Suspend a tenant, or reactivate it',
  description:
    'Suspended: its sessions end at once, its users cannot sign in, and its share links answer as if they did not exist. Its files, backups, checks and proofs continue.',
  params: byId,
  body: z.object({ status: z.enum(['ACTIVE', 'SUSPENDED']), reason }),
  answer: tenant,
  errors: ['RESULT_DATA_NONE', 'CONFLICT'],
});

export const deleteTenant = endpoint('deleteTenant', {
  ...common,
  route: `DELETE ${path}/{id}`,
  stepUp: true,
  summary: 'Delete a tenant for good, in the background',
  description:
    'Sessions end at once. A job closes and erases its accounts, deletes its files, messages and tickets; bytes that no other tenant needs are purged after the retention time. Issued proofs stay verifiable and the audit log is kept. The name has to be repeated; deleting it again changes nothing.',
  params: byId,
  query: z.object({
    name: z.string().max(63).meta({ description: 'the name of the tenant, as confirmation' }),
    reason,
  }),
  answer: tenant,
  errors: ['RESULT_DATA_NONE', 'CONFLICT', 'PARAM_IS_INVALID'],
});
