// Statistics of a tenant and system state, for its administrators and monitors. Nothing here counts data of another
// tenant; the chain is shared and public.
import { z } from 'zod';
import { chainStatus } from './chain.ts';
import { count, isoTime, numberFromText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { alertSeverities, alertTypes } from './integrity.ts';
import { componentHealth, healthStatuses } from './monitor.ts';

const status = z.enum(healthStatuses);

const systemStats = z.object({
  totalUsers: count,
  totalFiles: count.meta({ description: 'stored files; of several versions the newest counts' }),
  totalStorage: count.meta({ description: 'bytes of all stored versions' }),
  totalTransactions: count.meta({ description: 'file records and batch roots that were put on the chain' }),
  todayUploads: count.meta({ description: 'files that were stored on this UTC day' }),
  todayDownloads: count.meta({
    description:
      'answers with all bytes of a file, and of those with a part the first per file and reader, on this UTC day; by owners, friends and shares',
  }),
});
export type SystemStats = z.infer<typeof systemStats>;

const common = { feature: 'monitor', access: 'system:metrics', rate: 'other' } as const;

export const getSystemStats = endpoint('getSystemStats', {
  ...common,
  route: 'GET /api/v1/system/stats',
  summary: 'Users, files, storage and transactions of the tenant',
  answer: systemStats,
});

const systemHealth = z.object({
  status,
  database: componentHealth,
  cache: componentHealth,
  blockchain: componentHealth,
  storage: componentHealth,
});
export type SystemHealth = z.infer<typeof systemHealth>;

export const getSystemHealth = endpoint('getSystemHealth', {
  ...common,
  route: 'GET /api/v1/system/health',
  summary: 'How database, cache, chain and object store are',
  description: 'The worst of the four is the status. Answers 200 however they are; probes ask /actuator/health.',
  answer: systemHealth,
});

const openAlerts = z.object({
  unresolved: count,
  newest: z
    .array(
      z.object({ id: recordId, alertType: z.enum(alertTypes), severity: z.enum(alertSeverities), createdAt: isoTime }),
    )
    .max(5),
});

/** Installation-wide figures. */
const installation = z.object({
  requests: count.meta({
    description: 'calls that the one server that answers has answered since it started, without probes',
  }),
  failedRequests: count.meta({ description: 'of these, those that were answered with 5xx' }),
  memoryBytes: count,
  cpuSeconds: z.number().min(0),
  loadAverage: z.number().min(0).meta({ description: 'of the last minute; 0 where the system does not say' }),
  jobs: z.object({ waiting: count, running: count, dead: count }).meta({ description: 'without events' }),
  events: z.object({ pending: count, exhausted: count }),
  sagas: z.object({ running: count, failed: count, pendingCompensation: count }),
  tenants: z
    .object({ active: count, suspended: count, deleting: count, users: count, files: count, bytes: count })
    .optional()
    .meta({ description: 'how many, and what they use together; absent from servers before 1.42' }),
  storageNodes: z.array(
    z.object({
      node: z.string(),
      online: z.boolean(),
      usagePercent: z.number().nullable().meta({ description: 'null where the capacity is not known' }),
    }),
  ),
});

/** For a witness, for all authorities together, or for all calendars together. */
const voucherTarget = z.object({
  vouchedSize: count.meta({ description: 'size of the newest checkpoint that it vouched for' }),
  lagEntries: count.meta({ description: 'entries of the ledger that it has not vouched for' }),
  lagSeconds: count.meta({ description: 'age of the oldest checkpoint that it has not vouched for' }),
  failures: count.meta({ description: 'since its last voucher' }),
  error: z.string().optional(),
});
/** Details of the health part `vouchers`. */
export const voucherDetails = z.object({ targets: z.record(z.string(), voucherTarget) });

const systemMonitor = z.object({
  time: isoTime,
  server: z.object({ version: z.string(), uptimeSeconds: count }),
  health: z.object({ status, components: z.record(z.string(), status) }),
  stats: systemStats,
  chain: chainStatus,
  attestation: z.object({ readyCandidates: count, claimedCandidates: count, deadLetterCandidates: count }),
  alerts: openAlerts.meta({ description: 'unresolved integrity alerts of the tenant' }),
  conditions: z.array(z.object({ name: z.string(), state: z.string() })).meta({
    description: 'parts that are not UP and budgets that burn, as administrators were told last',
  }),
  vouchers: z.record(z.string(), voucherTarget).optional().meta({
    description:
      'third parties that vouch for the ledger, by name; absent where there are none, or where the caller may not see the installation',
  }),
  installation: installation.nullable().meta({
    description: 'null where there are other tenants, whose use it would tell, but for installation administrators',
  }),
});
export type SystemMonitor = z.infer<typeof systemMonitor>;

export const getSystemMonitor = endpoint('getSystemMonitor', {
  ...common,
  route: 'GET /api/v1/system/monitor',
  summary: 'All that a screen of the tenant shows, in one call',
  description:
    'The process that answers, the state of its parts, the figures of the tenant, the chain, what waits for a proof, alerts, and the queues if the installation has one tenant or the caller administers it.',
  answer: systemMonitor,
});

export const watchSystemMonitor = endpoint('watchSystemMonitor', {
  ...common,
  route: 'GET /api/v1/system/monitor/stream',
  summary: 'The same again and again, as server-sent events',
  description:
    'Each message is the JSON that GET /api/v1/system/monitor answers with; comments in between keep the connection alive. Ends with the session. Five streams for each account.',
  query: z.object({ everySeconds: numberFromText(z.int().min(1).max(3600).default(2)) }),
  answerForm: 'events',
  errors: ['CONFLICT'],
});

/** One message of the stream. */
export const parseSystemMonitor = (text: string): SystemMonitor => systemMonitor.parse(JSON.parse(text));
