// Full-screen dashboard of the service: health, traffic, queues, storage, chain and alerts, with sparklines of their
// history.
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import type { ReactNode } from 'react';
import { fact, keyLine, line, panel, sparkline, stack } from '../platform/dashboard/draw.ts';
import { paceOf, pacesOf, type Samples, withSample } from '../platform/dashboard/pace.ts';
import type { Size } from '../platform/dashboard/screen.ts';
import { watchOnScreen as watch } from '../platform/dashboard/watch.ts';
import { printable, toMinute, writeData } from '../platform/output.ts';
import { toDuration, toSize } from '../platform/units.ts';
import type { Waits } from '../platform/waits.ts';
import {
  alertsText,
  chainText,
  filesText,
  hasActiveAlert,
  hasDeadWork,
  hasVoucherProblem,
  monitorLine,
  partsText,
  proofsText,
  queuesText,
  storageText,
  todayText,
  vouchersText,
  weakParts,
} from './monitor-texts.ts';

/** The series of the bars, each with the newest at its end. */
type History = { readonly calls: Samples; readonly queued: readonly number[] };

export type ServiceScene = {
  readonly monitor: SystemMonitor;
  readonly history: History;
  readonly problem: string | null;
};

export const noHistory: History = { calls: [], queued: [] };

const widest = 120;
const bordersAndPadding = 4;
const nameColumn = 12;
const keptSamples = 120;
/** All but the newest alerts; on a lower terminal the bars are omitted first. */
const rowsOfAll = 21;
const rowsWithoutBars = 19;
/** With a frame around each part; on a lower terminal one frame holds all, so that the status line stays visible. */
const rowsOfPanels = 18;

/** Calls since the server started; with several tenants, the uploads and downloads of the own one. */
const callsOf = ({ installation, stats }: SystemMonitor): number =>
  installation?.requests ?? stats.todayUploads + stats.todayDownloads;

const queuedOf = ({ installation, attestation }: SystemMonitor): number =>
  installation === null
    ? attestation.readyCandidates + attestation.claimedCandidates
    : installation.jobs.waiting + installation.events.pending + installation.sagas.running;

export const addToHistory = ({ calls, queued }: History, monitor: SystemMonitor, at: number): History => ({
  calls: withSample(calls, { at, done: callsOf(monitor) }),
  queued: [...queued, queuedOf(monitor)].slice(-keptSamples),
});

export function drawService({ monitor, history, problem }: ServiceScene, { columns, rows }: Size): ReactNode {
  const width = Math.min(columns, widest);
  const room = width - bordersAndPadding - nameColumn;
  const vouchers = vouchersText(monitor);
  const more = vouchers === undefined ? 0 : 1;
  const hasBars = rows >= rowsOfAll + more;
  const bars = (values: readonly number[]) => (hasBars ? [fact('', sparkline(values, room), 'quiet')] : []);
  const alerts =
    rows < rowsWithoutBars + more ? [] : newestAlerts(monitor).slice(0, Math.max(0, rows - rowsOfAll - more));
  const service = [
    headLine(monitor),
    fact('parts', printable(partsText(monitor)), weakParts(monitor).length > 0 ? 'bad' : 'good'),
    fact('traffic', trafficText(monitor, history.calls)),
    ...bars(pacesOf(history.calls)),
    fact('queues', queuesText(monitor) ?? 'of all tenants: not shown', hasDeadWork(monitor) ? 'bad' : undefined),
    ...bars(history.queued),
    fact('proofs', proofsText(monitor), monitor.attestation.deadLetterCandidates > 0 ? 'bad' : undefined),
  ];
  const stored = [
    fact('stored', filesText(monitor)),
    fact('today', todayText(monitor)),
    fact('storage', storageText(monitor) ?? 'of all tenants: not shown'),
    fact('chain', chainText(monitor), monitor.chain.healthy ? undefined : 'bad'),
    ...(vouchers === undefined
      ? []
      : [fact('vouchers', printable(vouchers), hasVoucherProblem(monitor) ? 'bad' : undefined)]),
  ];
  const warnings = [
    fact('alerts', printable(alertsText(monitor)), hasActiveAlert(monitor) ? 'bad' : 'good'),
    ...alerts.map(text => fact('', printable(text))),
  ];
  const parts = [service, stored, warnings];
  return stack(
    ...(rows < rowsOfPanels + more ? [parts.flat()] : parts).map(lines => panel(width, ...lines)),
    line(problem ?? '', 'warning'),
    keyLine([{ key: 'q', does: 'leave' }]),
  );
}

function headLine({ health, server, installation }: SystemMonitor): ReactNode {
  const process =
    installation === null ? '' : `   ${toSize(installation.memoryBytes)}   load ${installation.loadAverage.toFixed(2)}`;
  const text = `RecordProof ${server.version}   ${health.status}   up ${toDuration(server.uptimeSeconds)}${process}`;
  return line(printable(text), health.status === 'UP' ? 'strong' : 'bad');
}

function trafficText(monitor: SystemMonitor, calls: Samples): string {
  const pace = paceOf(calls);
  const { installation } = monitor;
  if (installation === null)
    return pace === undefined ? 'counted from the next sample on' : `${(pace * 60).toFixed(0)} transfers a minute`;
  const now = pace === undefined ? 'counted from the next sample on' : `${pace.toFixed(1)} calls a second`;
  const failed = installation.failedRequests === 0 ? '' : `, ${installation.failedRequests} failed since the start`;
  return `${now}${failed}`;
}

const newestAlerts = ({ alerts }: SystemMonitor): string[] =>
  alerts.newest.map(
    ({ id, alertType, severity, createdAt }) => `${id}  ${alertType}  ${severity}  ${toMinute(createdAt)}`,
  );

type Watching = { readonly waits: Waits; read(signal: AbortSignal): Promise<SystemMonitor> };

/** The last state remains as a line. */
export async function watchOnScreen({ read, waits }: Watching): Promise<void> {
  const { monitor } = await watch<SystemMonitor, ServiceScene>({
    // Samples arrive when they are due: no pause between them is needed here.
    ...{ waits, read, everyMs: 0, draw: drawService },
    first: monitor => ({ monitor, history: noHistory, problem: null }),
    next: (scene, monitor) => ({ ...scene, monitor, history: addToHistory(scene.history, monitor, performance.now()) }),
  });
  writeData(printable(monitorLine(monitor)));
}
