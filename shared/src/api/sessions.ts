// Sessions of the own account: list and end.
import { z } from 'zod';
import { byId, isoTime, recordId } from './common.ts';
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

const common = { feature: 'auth', access: 'signed-in', rate: 'auth' } as const;

export const listSessions = endpoint('listSessions', {
  ...common,
  route: `GET ${path}`,
  summary: 'List the sessions of the own account, the last used first',
  answer: z.array(liveSession),
});

export const endOneSession = endpoint('endOneSession', {
  isAllowedInMaintenance: true,
  ...common,
  route: `DELETE ${path}/{id}`,
  summary: 'End a session of the own account',
  params: byId,
  errors: ['NOT_FOUND'],
});

export const endOtherSessions = endpoint('endOtherSessions', {
  isAllowedInMaintenance: true,
  ...common,
  route: `DELETE ${path}`,
  summary: 'End every other session of the own account',
  answer: z.object({ ended: z.int() }),
});
