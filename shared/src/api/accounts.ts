// The own account, and account administration.
import { z } from 'zod';
import { email, mailCode, nickname, password, profile, roles, username } from './auth.ts';
import { byId, externalIdPattern, isoTime, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint, permissions } from './endpoint.ts';
import { newSession } from './factor-proofs.ts';

export const accountStatuses = ['ACTIVE', 'SUSPENDED'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** `service`: used by programs with API tokens, without sign-in. */
const accountKinds = ['person', 'service'] as const;
export type AccountKind = (typeof accountKinds)[number];

export const account = z.object({
  id: recordId,
  externalId: z.string().regex(externalIdPattern),
  username: z.string(),
  email: z.string(),
  nickname: z.string().nullable(),
  role: z.enum(roles),
  kind: z.enum(accountKinds),
  status: z.enum(accountStatuses),
  registerTime: isoTime,
});
export type Account = z.infer<typeof account>;

/** The public fields of an account. */
export const person = z.object({
  externalId: z.string().regex(externalIdPattern),
  username: z.string(),
  nickname: z.string().nullable(),
  avatar: z.string().nullable().meta({ description: 'path of a picture' }),
});
export type Person = z.infer<typeof person>;

const common = { feature: 'accounts', rate: 'other' } as const;

export const updateProfile = endpoint('updateProfile', {
  ...common,
  route: 'PUT /api/v1/auth/me',
  summary: 'Change the name that others see',
  access: 'signed-in',
  rate: 'auth',
  body: z.object({ nickname: nickname.nullable() }),
  answer: profile,
});

export const changePassword = endpoint('changePassword', {
  ...common,
  route: 'PUT /api/v1/auth/me/password',
  summary: 'Change the password; every other session ends',
  access: 'signed-in',
  rate: 'auth',
  body: z.object({ oldPassword: z.string().min(1).max(128), newPassword: password }),
  answer: newSession,
  errors: ['USER_LOGIN_ERROR', 'USER_ACCOUNT_LOCKED'],
});

export const changeEmail = endpoint('changeEmail', {
  ...common,
  route: 'PUT /api/v1/auth/me/email',
  summary: 'Move the account to another e-mail address',
  description:
    'Needs the password, and a code of type "modify" that was sent to the new address. The old address is told.',
  access: 'signed-in',
  rate: 'auth',
  body: z.object({ email, code: mailCode, password: z.string().min(1).max(128) }),
  answer: profile,
  errors: ['AUTH_CODE_ERROR', 'USER_HAS_EXISTED', 'USER_LOGIN_ERROR', 'USER_ACCOUNT_LOCKED'],
});

export const listUsers = endpoint('listUsers', {
  ...common,
  route: 'GET /api/v1/system/permissions/users',
  summary: 'List the accounts of the tenant',
  access: 'system:admin',
  query: pageQuery(['registerTime', 'username']).extend({
    keyword: z.string().max(100).optional().meta({ description: 'part of user name, e-mail or nickname' }),
    role: z.enum(roles).optional(),
    status: z.enum(accountStatuses).optional(),
    kind: z.enum(accountKinds).optional(),
  }),
  answer: pageOf(account),
});

export const createUser = endpoint('createUser', {
  ...common,
  route: 'POST /api/v1/system/permissions/users',
  stepUp: true,
  summary: 'Create an account of the tenant',
  description: 'Also where registration is closed. The password is passed on to its owner, who should change it.',
  access: 'system:admin',
  tokenScope: 'none',
  body: z.object({
    username,
    email,
    password,
    nickname: nickname.optional(),
    role: z.enum(roles).default('user'),
  }),
  answer: account,
  errors: ['USER_HAS_EXISTED'],
});

export const createServiceAccount = endpoint('createServiceAccount', {
  ...common,
  route: 'POST /api/v1/system/permissions/service-accounts',
  stepUp: true,
  summary: 'Create a service account of the tenant',
  description:
    'Programs use it with API tokens that administrators create for it. It has no sign-in. It is listed, suspended and deleted like the accounts of people.',
  access: 'system:admin',
  tokenScope: 'none',
  body: z.object({ username, role: z.enum(roles).default('user') }),
  answer: account,
  errors: ['USER_HAS_EXISTED'],
});

export const filesOfDeleted = ['keep', 'delete'] as const;
export type FilesOfDeleted = (typeof filesOfDeleted)[number];

export const deleteUser = endpoint('deleteUser', {
  ...common,
  route: 'DELETE /api/v1/system/permissions/users/{id}',
  summary: 'Delete an account for good',
  description:
    'Its sessions and share links end, and name, address, nickname, picture and password are erased. Its files stay for administrators (keep) or are deleted, their bytes after the retention time (delete). Proofs stay verifiable. Audit rows keep the user name.',
  access: 'system:admin',
  params: byId,
  query: z.object({ files: z.enum(filesOfDeleted), reason: z.string().max(256).optional() }),
  errors: ['USER_NOT_EXIST', 'CONFLICT'],
});

export const updateUserRole = endpoint('updateUserRole', {
  ...common,
  route: 'PUT /api/v1/system/permissions/users/{id}/role',
  stepUp: true,
  summary: 'Give an account another role; its sessions end',
  access: 'system:admin',
  tokenScope: 'none',
  params: byId,
  body: z.object({ role: z.enum(roles), reason: z.string().max(256).optional() }),
  answer: account,
  errors: ['USER_NOT_EXIST', 'CONFLICT'],
});

export const updateUserStatus = endpoint('updateUserStatus', {
  ...common,
  route: 'PUT /api/v1/system/permissions/users/{id}/status',
  summary: 'Suspend an account or let it in again',
  access: 'system:admin',
  params: byId,
  body: z.object({ status: z.enum(accountStatuses), reason: z.string().max(256).optional() }),
  answer: account,
  errors: ['USER_NOT_EXIST', 'CONFLICT'],
});

export const endUserSessions = endpoint('endUserSessions', {
  ...common,
  route: 'DELETE /api/v1/system/permissions/users/{id}/sessions',
  summary: 'End every session of an account; it may sign in again',
  access: 'system:admin',
  params: byId,
  errors: ['USER_NOT_EXIST'],
});

export const listRoles = endpoint('listRoles', {
  ...common,
  route: 'GET /api/v1/system/permissions/roles',
  summary: 'List the roles and what each may do',
  access: 'system:admin',
  answer: z.array(
    z.object({ role: z.enum(roles), description: z.string(), permissions: z.array(z.enum(permissions)) }),
  ),
});

export const listPermissions = endpoint('listPermissions', {
  ...common,
  route: 'GET /api/v1/system/permissions/permissions',
  summary: 'List every permission',
  access: 'system:admin',
  answer: z.array(z.object({ permission: z.enum(permissions), description: z.string() })),
});
