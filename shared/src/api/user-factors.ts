// Second factors of a tenant, for administrators: factors of its accounts, reset, and requirements by role.
import { z } from 'zod';
import { roles } from './auth.ts';
import { byId, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { heldFactors } from './factors.ts';

const userFactors = heldFactors.extend({
  passkeys: z.int(),
  id: recordId,
  username: z.string(),
  role: z.enum(roles),
  required: z.boolean(),
});
export type UserFactors = z.infer<typeof userFactors>;

const common = { feature: 'factors', access: 'system:admin', rate: 'other' } as const;

export const listUserFactors = endpoint('listUserFactors', {
  ...common,
  route: 'GET /api/v1/system/permissions/factors',
  summary: 'List which factors the accounts of the tenant have',
  query: pageQuery(['username']).extend({
    keyword: z.string().max(100).optional().meta({ description: 'part of user name, e-mail or nickname' }),
  }),
  answer: pageOf(userFactors),
});

export const getUserFactors = endpoint('getUserFactors', {
  ...common,
  route: 'GET /api/v1/system/permissions/users/{id}/factors',
  summary: 'Factors of an account of the tenant',
  params: byId,
  answer: userFactors,
  errors: ['USER_NOT_EXIST'],
});

export const resetUserFactors = endpoint('resetUserFactors', {
  ...common,
  route: 'DELETE /api/v1/system/permissions/users/{id}/factors',
  summary: 'Remove every second factor of an account; its sessions end',
  description: 'For an owner who has lost them. The password stays, and the owner is told by mail.',
  tokenScope: 'none',
  stepUp: true,
  params: byId,
  query: z.object({ reason: z.string().max(256).optional() }),
  errors: ['USER_NOT_EXIST', 'CONFLICT'],
});

const requirement = z.object({
  roles: z.array(z.enum(roles)).max(roles.length).meta({ description: 'all three: the whole tenant' }),
  graceDays: z.int().min(0).max(90).meta({ description: 'from when a role was added, or the account was opened' }),
});
export type FactorRequirement = z.infer<typeof requirement>;

const requirementPath = '/api/v1/system/permissions/factor-requirement';

export const getFactorRequirement = endpoint('getFactorRequirement', {
  ...common,
  route: `GET ${requirementPath}`,
  summary: 'Which roles of the tenant need a second factor',
  answer: requirement,
});

export const putFactorRequirement = endpoint('putFactorRequirement', {
  ...common,
  route: `PUT ${requirementPath}`,
  summary: 'Require a second factor of roles of the tenant',
  description: 'After the grace period, signing in without one leads to setting one up and nowhere else.',
  tokenScope: 'none',
  stepUp: true,
  body: requirement,
  answer: requirement,
});
