// Liveness, readiness and health, for load balancers, scrapers and operators. Without envelope, in the formats of their
// tools.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const healthStatuses = ['UP', 'DEGRADED', 'DOWN'] as const;
export type HealthStatus = (typeof healthStatuses)[number];

const status = z.enum(healthStatuses);
const bareHealth = z.object({ status });

export const componentHealth = z.object({ status, details: z.record(z.string(), z.unknown()).optional() });
export type ComponentHealth = z.infer<typeof componentHealth>;

export const health = z.object({
  status,
  components: z.record(z.string(), componentHealth).optional().meta({
    description: 'db, redis, rabbit, s3Storage, saga, outbox, encryption, attestation; shown to operators only',
  }),
});
export type Health = z.infer<typeof health>;

const common = { feature: 'monitor', rate: 'probe' } as const;

export const getHealth = endpoint('getHealth', {
  ...common,
  route: 'GET /actuator/health',
  summary: 'How the service and its parts are',
  description:
    'The worst part decides: 200 when UP or DEGRADED, 503 when DOWN. The parts are shown to callers with system:metrics or the management token; all others see the status only.',
  access: 'optional',
  tokenScope: 'any',
  folderScope: {},
  answer: health,
  answerForm: 'plain-json',
});

export const getLiveness = endpoint('getLiveness', {
  ...common,
  route: 'GET /actuator/health/liveness',
  summary: 'Whether the process answers at all',
  description: 'Looks at nothing else. When this fails, restart the process.',
  access: 'anonymous',
  answer: bareHealth,
  answerForm: 'plain-json',
});

export const getReadiness = endpoint('getReadiness', {
  ...common,
  route: 'GET /actuator/health/readiness',
  summary: 'Whether to send requests here',
  description:
    '503 while the database or the object store is out of reach, while keys cannot be wrapped or opened, and while shutting down.',
  access: 'anonymous',
  answer: bareHealth,
  answerForm: 'plain-json',
});

export const getMetrics = endpoint('getMetrics', {
  ...common,
  route: 'GET /actuator/prometheus',
  summary: 'Metrics in the Prometheus text format',
  description:
    'Needs no token where the setting http.open-metrics (RECORDPROOF_OPEN_METRICS) is on. Where there are several tenants, administrators and monitors get the figures of theirs, the management token those of all.',
  access: 'management',
  answer: z.string(),
  answerForm: 'text',
});

const circuitStates = ['CLOSED', 'OPEN', 'HALF_OPEN'] as const;

/** The calls are those of all tenants, so staff of one of several tenants gets the state only. */
const circuitCalls = z.object({
  failureRate: z.number().meta({ description: 'percent of the buffered calls that failed; -1 while too few to judge' }),
  bufferedCalls: z.int(),
  failedCalls: z.int(),
  notPermittedCalls: z.int().meta({ description: 'calls refused since the circuit last closed' }),
});

const circuitBreaker = z.object({ state: z.enum(circuitStates), ...circuitCalls.partial().shape });

export const listCircuitBreakers = endpoint('listCircuitBreakers', {
  ...common,
  route: 'GET /actuator/circuitbreakers',
  summary: 'Which services behind this one are left alone for now',
  description:
    'Where there are several tenants, their administrators and monitors are told the states and no count of calls.',
  access: 'management',
  answer: z.object({ circuitBreakers: z.record(z.string(), circuitBreaker) }),
  answerForm: 'plain-json',
});
