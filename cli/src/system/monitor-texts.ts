// Texts about the service, the same in lines and on the screen.
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import { toCount, toDuration, toSize } from '../platform/units.ts';

const countOf = (count: number, what: string): string =>
  `${toCount(count)} ${count === 1 ? what : `${what}s`.replace(/ys$/, 'ies')}`;

/** The parts that are not up, by name. */
export const weakParts = ({ health }: SystemMonitor): [name: string, status: string][] =>
  Object.entries(health.components).filter(([, status]) => status !== 'UP');

export function partsText(monitor: SystemMonitor): string {
  const names = Object.keys(monitor.health.components);
  const weak = weakParts(monitor);
  if (weak.length === 0) return `all ${names.length} parts are up`;
  return [...weak.map(([name, status]) => `${name} ${status}`), `${names.length - weak.length} up`].join(', ');
}

export function chainText({ chain }: SystemMonitor): string {
  const height = chain.blockNumber === null ? 'no answer' : `height ${toCount(chain.blockNumber)}`;
  const failed = chain.failedTransactionCount > 0 ? `, ${toCount(chain.failedTransactionCount)} failed` : '';
  return `${chain.chainType}, ${height}, ${toCount(chain.transactionCount)} records${failed}`;
}

type Target = NonNullable<SystemMonitor['vouchers']>[string];

const targetText = ([name, { lagEntries, lagSeconds, failures }]: [string, Target]): string => {
  const failed = failures === 0 ? '' : `, ${countOf(failures, 'failure')}`;
  const lag = lagEntries === 0 ? 'up to date' : `${countOf(lagEntries, 'entry')} behind for ${toDuration(lagSeconds)}`;
  return `${name} ${lag}${failed}`;
};

/**
 * Each voucher service of the ledger, those that fail and lag most first; undefined without any, or where it is not
 * shown.
 */
export function vouchersText({ vouchers }: SystemMonitor): string | undefined {
  const targets = Object.entries(vouchers ?? {});
  if (targets.length === 0) return undefined;
  const bad = targets.filter(([, { failures, lagEntries }]) => failures + lagEntries > 0);
  if (bad.length === 0)
    return targets.length === 1 ? targetText(targets[0] as [string, Target]) : `all ${targets.length} are up to date`;
  const worst = bad.toSorted(([, a], [, b]) => b.failures - a.failures || b.lagSeconds - a.lagSeconds);
  const rest = targets.length - bad.length;
  return [...worst.map(targetText), ...(rest > 0 ? [`${rest} up to date`] : [])].join('; ');
}

export const hasVoucherProblem = ({ health }: SystemMonitor): boolean => (health.components.vouchers ?? 'UP') !== 'UP';

/** Queues of this tenant alone; undefined where there are other tenants. */
export function queuesText({ installation }: SystemMonitor): string | undefined {
  if (installation === null) return undefined;
  const { jobs, events, sagas } = installation;
  const failures = [
    ...(jobs.dead > 0 ? [`${toCount(jobs.dead)} dead jobs`] : []),
    ...(events.exhausted > 0 ? [`${toCount(events.exhausted)} exhausted events`] : []),
    ...(sagas.failed > 0 ? [`${toCount(sagas.failed)} failed sagas`] : []),
  ];
  const waiting = `jobs ${toCount(jobs.waiting)}, events ${toCount(events.pending)}, sagas ${toCount(sagas.running)}`;
  return [waiting, ...failures].join(', ');
}

export const hasDeadWork = ({ installation }: SystemMonitor): boolean =>
  installation !== null && installation.jobs.dead + installation.events.exhausted + installation.sagas.failed > 0;

export const proofsText = ({ attestation }: SystemMonitor): string => {
  const dead =
    attestation.deadLetterCandidates > 0 ? `, ${toCount(attestation.deadLetterCandidates)} dead letters` : '';
  return `${toCount(attestation.readyCandidates + attestation.claimedCandidates)} wait${dead}`;
};

/** Of the tenant; of all tenants for an administrator of an installation with several. */
export function filesText({ stats, installation }: SystemMonitor): string {
  const { tenants } = installation ?? {};
  const others = tenants === undefined ? 0 : tenants.active + tenants.suspended + tenants.deleting;
  if (tenants === undefined || others <= 1)
    return `${countOf(stats.totalFiles, 'file')}, ${toSize(stats.totalStorage)}, ${countOf(stats.totalUsers, 'user')}`;
  const suspended = tenants.suspended === 0 ? '' : `, ${tenants.suspended} suspended`;
  const used = `${countOf(tenants.files, 'file')}, ${toSize(tenants.bytes)}, ${countOf(tenants.users, 'user')}`;
  return `${used} in ${others} tenants${suspended}`;
}

export const todayText = ({ stats }: SystemMonitor): string =>
  `${toCount(stats.todayUploads)} uploads, ${toCount(stats.todayDownloads)} downloads`;

export function storageText({ installation }: SystemMonitor): string | undefined {
  if (installation === null) return undefined;
  const nodes = installation.storageNodes;
  const online = nodes.filter(node => node.online).length;
  const used = nodes.flatMap(({ usagePercent }) => usagePercent ?? []);
  const most = used.length === 0 ? '' : `, ${Math.max(...used).toFixed(0)} % used`;
  return `${online} of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} online${most}`;
}

export function alertsText({ alerts, conditions }: SystemMonitor): string {
  if (alerts.unresolved === 0 && conditions.length === 0) return 'none';
  const open = alerts.unresolved === 0 ? [] : [`${toCount(alerts.unresolved)} integrity`];
  return [...open, ...conditions.map(({ name, state }) => `${name} ${state}`)].join(', ');
}

export const hasActiveAlert = ({ alerts, conditions }: SystemMonitor): boolean =>
  alerts.unresolved > 0 || conditions.length > 0;

export function monitorLine(monitor: SystemMonitor): string {
  const vouchers = vouchersText(monitor);
  return [
    monitor.health.status,
    partsText(monitor),
    filesText(monitor),
    `today ${todayText(monitor)}`,
    `proofs ${proofsText(monitor)}`,
    queuesText(monitor),
    vouchers && `vouchers ${vouchers}`,
    `alerts ${alertsText(monitor)}`,
  ]
    .filter(text => text !== undefined)
    .join('; ');
}
