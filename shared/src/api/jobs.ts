// Dead jobs and events, after their last attempt: inspect, retry, drop.
import { z } from 'zod';
import { byId, isoTime, numberFromText, pageOf, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

export const deadJobTypes = ['JOB', 'EVENT'] as const;

const deadJob = z.object({
  id: recordId,
  type: z.enum(deadJobTypes),
  kind: z.string().meta({ description: 'which work; of an event also for which consumer', examples: ['event.export'] }),
  eventType: z.string().nullable().meta({ description: 'what happened, where it is an event' }),
  attempts: z.int().min(0),
  lastError: z.string().nullable().meta({ description: 'without what looks like a secret' }),
  about: z
    .record(z.string(), z.string())
    .meta({ description: 'the ids that it names; nothing else of what it holds is told' }),
  createdAt: isoTime,
  traceId: z.string().nullable().meta({ description: 'of the request that left it, where that was traced' }),
});
export type DeadJob = z.infer<typeof deadJob>;

const prefix = '/api/v1/system/jobs';
const common = { feature: 'jobs', rate: 'other' } as const;

export const listDeadJobs = endpoint('listDeadJobs', {
  ...common,
  route: `GET ${prefix}`,
  access: 'system:metrics',
  summary: 'Dead jobs and events, newest first',
  description:
    'Those of the own tenant. Where the installation has no other tenant, also those that belong to the installation itself.',
  query: z.object({
    page: numberFromText(z.int().min(1).max(1_000_000_000).default(1)),
    size: numberFromText(z.int().min(1).max(100).default(10)),
    type: z.enum(deadJobTypes).optional(),
    kind: z.string().min(1).max(255).optional(),
  }),
  answer: pageOf(deadJob),
});

export const getDeadJob = endpoint('getDeadJob', {
  ...common,
  route: `GET ${prefix}/{id}`,
  access: 'system:metrics',
  summary: 'One dead job or event',
  params: byId,
  answer: deadJob,
  errors: ['RESULT_DATA_NONE'],
});

export const reviveDeadJob = endpoint('reviveDeadJob', {
  ...common,
  route: `POST ${prefix}/{id}/revive`,
  access: 'system:admin',
  summary: 'Try it again, at once, with all its attempts',
  description: 'Refused with 409 while another job waits that does the same: drop this one then.',
  params: byId,
  errors: ['RESULT_DATA_NONE', 'CONFLICT'],
});

export const dropDeadJob = endpoint('dropDeadJob', {
  ...common,
  route: `DELETE ${prefix}/{id}`,
  access: 'system:admin',
  summary: 'Throw it away: what it was to do is never done',
  params: byId,
  errors: ['RESULT_DATA_NONE'],
});
