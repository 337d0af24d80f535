// Storage quota of one account, if different from the server's defaults.
import { z } from 'zod';
import { recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { quotaModes, quotaUsage } from './files.ts';

const byId = z.object({ id: recordId });
const maxBytes = z
  .int()
  .min(0)
  .max(2 ** 52)
  .nullable();
const maxFiles = z
  .int()
  .min(0)
  .max(2 ** 40)
  .nullable();

/** Null: the server's default. */
const own = z.object({ maxBytes, maxFiles });

const userQuota = z.object({
  mode: z.enum(quotaModes),
  user: quotaUsage.meta({ description: 'what is in force' }),
  own: own.meta({ description: 'what was set for this account; null where the default of the server is in force' }),
});
export type UserQuota = z.infer<typeof userQuota>;

export const getUserQuota = endpoint('getUserQuota', {
  feature: 'files',
  method: 'GET',
  path: '/api/v1/system/permissions/users/{id}/quota',
  summary: 'What an account may store, and what it uses',
  access: 'system:admin',
  rate: 'other',
  params: byId,
  answer: userQuota,
  errors: ['USER_NOT_EXIST'],
});

export const setUserQuota = endpoint('setUserQuota', {
  feature: 'files',
  method: 'PUT',
  path: '/api/v1/system/permissions/users/{id}/quota',
  summary: 'Set what an account may store',
  description: 'Null puts the default of the server in force again. A limit below what is used deletes nothing.',
  access: 'system:admin',
  rate: 'other',
  params: byId,
  body: own.extend({ reason: z.string().max(256).optional() }),
  answer: userQuota,
  errors: ['USER_NOT_EXIST'],
});
