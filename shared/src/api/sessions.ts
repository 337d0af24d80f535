// Sessions of the own account: list and end.
import { z } from 'zod';
import { isoTime, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

const liveSession = z.object({
  id: recordId,
  device: z.string().meta({ description: 'program and system, as the client names itself; may be empty' }),
  address: z.string().meta({ description: 'of the last use' }),
  createdAt: isoTime,
  lastUsedAt: isoTime.meta({ description: 'exact to five minutes' }),
  expiresAt: isoTime.meta({ description: 'if it is not used' }),
  current: z.boolean().meta({ description: 'the session that asks' }),
});
export type LiveSession = z.infer<typeof liveSession>;

const path = '/api/v1/auth/sessions';

export const listSessions = endpoint('listSessions', {
  feature: 'auth',
  method: 'GET',
  path,
  summary: 'List the sessions of the own account, the last used first',
  access: 'signed-in',
  rate: 'auth',
  answer: z.array(liveSession),
});

export const endOneSession = endpoint('endOneSession', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'End a session of the own account',
  access: 'signed-in',
  rate: 'auth',
  params: z.object({ id: recordId }),
  errors: ['NOT_FOUND'],
});

export const endOtherSessions = endpoint('endOtherSessions', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'DELETE',
  path,
  summary: 'End every other session of the own account',
  access: 'signed-in',
  rate: 'auth',
  answer: z.object({ ended: z.int() }),
});
