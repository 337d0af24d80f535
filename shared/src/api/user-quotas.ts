// Storage quota of one account, if different from the server's defaults.
import { z } from 'zod';
import { byId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { quotaModes, quotaUsage } from './files.ts';

/** Null: the server's default. */
const limit = (most: number) => z.int().min(0).max(most).nullable();
const own = z.object({ maxBytes: limit(2 ** 52), maxFiles: limit(2 ** 40) });

const userQuota = z.object({
  mode: z.enum(quotaModes),
  user: quotaUsage.meta({ description: 'what is in force' }),
  own: own.meta({ description: 'what was set for this account; null where the default of the server is in force' }),
});
export type UserQuota = z.infer<typeof userQuota>;

const common = { feature: 'files', access: 'system:admin', rate: 'other' } as const;

export const getUserQuota = endpoint('getUserQuota', {
  ...common,
  route: 'GET /api/v1/system/permissions/users/{id}/quota',
  summary: 'What an account may store, and what it uses',
  params: byId,
  answer: userQuota,
  errors: ['USER_NOT_EXIST'],
});

export const setUserQuota = endpoint('setUserQuota', {
  ...common,
  route: 'PUT /api/v1/system/permissions/users/{id}/quota',
  summary: 'Set what an account may store',
  description: 'Null puts the default of the server in force again. A limit below what is used deletes nothing.',
  params: byId,
  body: own.extend({ reason: z.string().max(256).optional() }),
  answer: userQuota,
  errors: ['USER_NOT_EXIST'],
});
