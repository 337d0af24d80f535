// How each part is judged. Thresholds come from the configuration; what is asked comes in as a function.
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import type { OutboxCounts, SagaCounts, StorageNode } from '../../platform/telemetry/platform-metrics.ts';
import { likelyHasAesNi, sealAndOpen } from './aes.ts';
import type { HealthProbe } from './health.ts';

export type HealthThresholds = {
  readonly outboxPendingDegraded: number;
  readonly outboxFailedDown: number;
  readonly sagaRunningDegraded: number;
  readonly sagaFailedDown: number;
  readonly sagaCompensationDegraded: number;
};

/** Up when the question is answered at all: the database. */
export const databaseProbe = (ask: (signal: AbortSignal) => Promise<unknown>, engine: string): HealthProbe => ({
  name: 'db',
  check: async signal => {
    await ask(signal);
    return { status: 'UP', details: { database: engine } };
  },
});

/** What a service beside this one says of itself; `embedded` where its work is done in this process. */
export type ServiceState = { readonly mode: string; readonly connected?: boolean; readonly [detail: string]: unknown };

export const serviceProbe = (
  name: 'redis' | 'rabbit',
  ask: (signal: AbortSignal) => Promise<ServiceState> | ServiceState,
): HealthProbe => ({
  name,
  check: async signal => {
    const { connected = true, ...details } = await ask(signal);
    return { status: connected ? 'UP' : 'DOWN', details };
  },
});

/** Redundant nodes: some missing is a warning, all missing is an outage. */
export const storageProbe = (listNodes: () => Promise<readonly StorageNode[]>): HealthProbe => ({
  name: 's3Storage',
  check: async () => judgeStorage(await listNodes()),
});

export function judgeStorage(nodes: readonly StorageNode[]): ComponentHealth {
  const healthyNodes = nodes.filter(node => node.online).length;
  const status = healthyNodes === 0 ? 'DOWN' : healthyNodes < nodes.length ? 'DEGRADED' : 'UP';
  return { status, details: { healthyNodes, totalNodes: nodes.length } };
}

export const sagaProbe = (count: () => Promise<SagaCounts>, thresholds: HealthThresholds): HealthProbe => ({
  name: 'saga',
  check: async () => judgeSagas(await count(), thresholds),
});

export function judgeSagas(counts: SagaCounts, thresholds: HealthThresholds): ComponentHealth {
  const { running, failed, pendingCompensation } = counts;
  const isSlow = running > thresholds.sagaRunningDegraded || pendingCompensation > thresholds.sagaCompensationDegraded;
  const status = failed > thresholds.sagaFailedDown ? 'DOWN' : isSlow ? 'DEGRADED' : 'UP';
  return { status, details: { running, failed, pendingCompensation } };
}

export const outboxProbe = (count: () => Promise<OutboxCounts>, thresholds: HealthThresholds): HealthProbe => ({
  name: 'outbox',
  check: async () => judgeOutbox(await count(), thresholds),
});

export function judgeOutbox({ pending, failed }: OutboxCounts, thresholds: HealthThresholds): ComponentHealth {
  const isSlow = pending > thresholds.outboxPendingDegraded;
  const status = failed > thresholds.outboxFailedDown ? 'DOWN' : isSlow ? 'DEGRADED' : 'UP';
  return { status, details: { pending, failed } };
}

/** Seals and opens a block, so that a crypto library that cannot is found here and not in the middle of an upload. */
export const encryptionProbe = (): HealthProbe => ({
  name: 'encryption',
  check: async () => {
    const algorithm = 'AES-256-GCM';
    const details = { algorithm, likelyHasAesNi: await likelyHasAesNi() };
    return { status: sealAndOpen() ? 'UP' : 'DOWN', details };
  },
});
