// Health watch: once a minute, checks the health of every part and the objectives, and notifies administrators and
// monitors once of changes seen in two consecutive checks. Notifications name the part and no figures, because those
// cover all tenants. Rules: probes.ts and burn.ts.
import type { Key, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { notify } from '../events/index.ts';
import { classifyBurn, longestMinutes, notBurning, type Sums, windowMinutes } from './burn.ts';
import { mailChanges } from './health-mail.ts';
import type { FullHealth, HealthWatch } from './health-watch.ts';
import {
  addToMinute,
  type ConditionRow,
  deleteMinutesBefore,
  listConditions,
  markReported,
  rememberSeen,
  sumSince,
} from './queries.ts';

export const watchKind = 'monitor.watch';
const minuteMs = 60_000;
const staff = { kind: 'roles', roles: ['admin', 'monitor'] } as const;

type Watching = Pick<Server, 'database' | 'clock' | 'log' | 'goals'>;
type WatchJob = Watching & Pick<Server, 'config' | 'baseUrl'>;

/** `normal` is the initial state, which is not reported. */
type Condition = {
  readonly name: string;
  readonly state: string;
  readonly normal: string;
  readonly alert: { readonly kind: string; readonly detail: string };
};

/** Normal states are not reported initially. */
export const isNormal = (state: string): boolean => state === 'UP' || state === notBurning;

export const watchJob = (server: WatchJob, watch: () => HealthWatch): JobHandler => ({
  kind: watchKind,
  runsInMaintenance: true,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(5, 30),
  run: async () => {
    const health = await watch().readAll('none'); // damage is reported only to the tenant of the file
    const storage = health.components.s3Storage;
    if (storage) server.goals.record('storage-availability', storage.status !== 'DOWN');
    const burning = classifyBurn(await count(server)).map(toBurnCondition);
    await reportChanges(server, [...toHealthConditions(health), ...burning]);
    await mailChanges(server, isNormal);
  },
});

/**
 * Writes this server's counts to the database; also called by a timer on each server, because the job runs on one only.
 */
export async function flushGoalCounts({ database, clock, goals }: Watching): Promise<void> {
  const counts = goals.take();
  if (counts.size === 0) return;
  const minute = Math.floor(clock.now() / minuteMs);
  await database.db.transaction().execute(tx => addToMinute(tx, minute, counts));
}

async function count(server: Watching): Promise<Sums> {
  await flushGoalCounts(server);
  const { db } = server.database;
  const now = Math.floor(server.clock.now() / minuteMs);
  await db.transaction().execute(tx => deleteMinutesBefore(tx, now - longestMinutes));
  const sums = new Map<number, Awaited<ReturnType<typeof sumSince>>>();
  for (const minutes of windowMinutes) sums.set(minutes, await sumSince(db, now - minutes + 1));
  return sums;
}

const toHealthConditions = ({ components }: FullHealth): Condition[] =>
  Object.entries(components)
    // A chain that lags usually recovers by itself; the alert rules report one that does not.
    .map(([name, { status }]) => [name, name === 'blockchain' && status === 'DEGRADED' ? 'UP' : status] as const)
    .map(([name, status]) => ({
      name: `health.${name}`,
      state: status,
      normal: 'UP',
      alert: { kind: 'health', detail: `${name} is ${status}` },
    }));

const toBurnCondition = ({ goal, severity }: ReturnType<typeof classifyBurn>[number]): Condition => ({
  name: `burn.${goal}`,
  state: severity,
  normal: notBurning,
  alert: {
    kind: 'burn-rate',
    detail:
      severity === notBurning
        ? `${goal}: the budget is not used up too fast any more`
        : `${goal}: the budget is used up too fast (${severity})`,
  },
});

/** Reports a state seen twice in a row that differs from the last reported one. */
export async function reportChanges(
  { database: { db }, clock, log }: Pick<Server, 'database' | 'clock' | 'log'>,
  conditions: readonly Condition[],
): Promise<void> {
  const rowsByName = new Map((await listConditions(db)).map(row => [row.name, row]));
  const tenants = await listTenants(db);
  for (const { name, state, normal, alert } of conditions) {
    const row: ConditionRow = rowsByName.get(name) ?? { name, seen: normal, told: normal };
    if (row.seen === state && row.told === state) continue;
    await db.transaction().execute(async tx => {
      if (row.seen !== state) {
        await rememberSeen(tx, name, state, row.told);
        return;
      }
      if (!(await markReported(tx, row, clock.now()))) return; // another server was faster
      log.warn({ condition: name, was: row.told }, alert.detail);
      for (const { id } of tenants) await notifyStaff(tx, id, alert, clock.now());
    });
  }
}

const notifyStaff = (tx: Tx, tenantId: Key, payload: Condition['alert'], now: number): Promise<void> =>
  notify(tx, { tenantId, to: staff, type: 'audit-alert', payload }, now);
