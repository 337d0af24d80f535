// Looks once a minute at the health of every part and at the objectives, and tells administrators and monitors, once,
// what has changed and stayed so for two looks. They are told which part it is, and no number: those are of all tenants.
import type { Key, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { notify } from '../events/index.ts';
import { judgeBurn, longestMinutes, notBurning, type Sums, windowMinutes } from './burn.ts';
import { mailChanges } from './health-mail.ts';
import type { FullHealth, HealthWatch } from './health-watch.ts';
import {
  addToMinute,
  type ConditionRow,
  deleteMinutesBefore,
  listConditions,
  markTold,
  rememberSeen,
  sumSince,
} from './queries.ts';

export const watchKind = 'monitor.watch';
const minuteMs = 60_000;
const staff = { kind: 'roles', roles: ['admin', 'monitor'] } as const;

type Watching = Pick<Server, 'database' | 'clock' | 'log' | 'goals'>;
type WatchJob = Watching & Pick<Server, 'config' | 'baseUrl'>;

/** `normal` is what nobody needs to be told of at first. */
type Condition = {
  readonly name: string;
  readonly state: string;
  readonly normal: string;
  readonly alert: { readonly kind: string; readonly detail: string };
};

/** What nobody needs to be told of. */
export const isNormal = (state: string): boolean => state === 'UP' || state === notBurning;

export const watchJob = (server: WatchJob, watch: () => HealthWatch): JobHandler => ({
  kind: watchKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(5, 30),
  run: async () => {
    const health = await watch().readAll('none'); // damage is told to the tenant whose file it is, and to no other
    const storage = health.components.s3Storage;
    if (storage) server.goals.seen('storage-availability', storage.status !== 'DOWN');
    const burning = judgeBurn(await count(server)).map(toBurnCondition);
    await tellChanges(server, [...toHealthConditions(health), ...burning]);
    await mailChanges(server, isNormal);
  },
});

/** Brings what this server has seen to the others; also called by a timer on each, since one alone does the job. */
export async function bringCounts({ database, clock, goals }: Watching): Promise<void> {
  const counts = goals.take();
  if (counts.size === 0) return;
  const minute = Math.floor(clock.now() / minuteMs);
  await database.db.transaction().execute(tx => addToMinute(tx, minute, counts));
}

async function count(server: Watching): Promise<Sums> {
  await bringCounts(server);
  const { db } = server.database;
  const now = Math.floor(server.clock.now() / minuteMs);
  await db.transaction().execute(tx => deleteMinutesBefore(tx, now - longestMinutes));
  const sums = new Map<number, Awaited<ReturnType<typeof sumSince>>>();
  for (const minutes of windowMinutes) sums.set(minutes, await sumSince(db, now - minutes + 1));
  return sums;
}

const toHealthConditions = ({ components }: FullHealth): Condition[] =>
  Object.entries(components)
    // A chain that is only behind catches up by itself; the alert rules report one that stays behind.
    .map(([name, { status }]) => [name, name === 'blockchain' && status === 'DEGRADED' ? 'UP' : status] as const)
    .map(([name, status]) => ({
      name: `health.${name}`,
      state: status,
      normal: 'UP',
      alert: { kind: 'health', detail: `${name} is ${status}` },
    }));

const toBurnCondition = ({ goal, severity }: ReturnType<typeof judgeBurn>[number]): Condition => ({
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

/** What is seen for the second time in a row, and is not what was told last, is told. */
export async function tellChanges(
  { database: { db }, clock, log }: Pick<Server, 'database' | 'clock' | 'log'>,
  conditions: readonly Condition[],
): Promise<void> {
  const known = new Map((await listConditions(db)).map(row => [row.name, row]));
  const tenants = await listTenants(db);
  for (const { name, state, normal, alert } of conditions) {
    const row: ConditionRow = known.get(name) ?? { name, seen: normal, told: normal };
    if (row.seen === state && row.told === state) continue;
    await db.transaction().execute(async tx => {
      if (row.seen !== state) {
        await rememberSeen(tx, name, state, row.told);
        return;
      }
      if (!(await markTold(tx, row, clock.now()))) return; // somebody else was faster
      log.warn({ condition: name, was: row.told }, alert.detail);
      for (const { id } of tenants) await tellStaff(tx, id, alert, clock.now());
    });
  }
}

const tellStaff = (tx: Tx, tenantId: Key, payload: Condition['alert'], now: number): Promise<void> =>
  notify(tx, { tenantId, to: staff, type: 'audit-alert', payload }, now);
