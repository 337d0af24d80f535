// Health rules per part. Thresholds come from the configuration; data sources are passed as functions.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import type { DatabaseCheck, DatabaseCheckState } from '../../platform/db/database-check.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { ClusterServers, Server } from '../../platform/server.ts';
import type { OutboxCounts, SagaCounts, StorageNode } from '../../platform/telemetry/platform-metrics.ts';
import type { UnusableKey } from '../envelopes/index.ts';

type HealthThresholds = Server['config']['health'];

type DatabasePorts = {
  readonly engine: string;
  readonly check: DatabaseCheck;
  readonly clusterServers: ClusterServers;
};

/** UP if the query is answered, and no damage of the database file is known. */
export const databaseProbe = (
  ask: (signal: AbortSignal) => Promise<unknown>,
  { engine, check, clusterServers }: DatabasePorts,
): HealthProbe => ({
  name: 'db',
  check: async signal => {
    await ask(signal);
    const health = toDatabaseHealth(engine, check.state);
    return health.status === 'UP' ? ((await inspectClusterServers(engine, clusterServers)) ?? health) : health;
  },
});

/** Checks the other servers on this database; returns null if there is no problem. */
async function inspectClusterServers(
  database: string,
  clusterServers: ClusterServers,
): Promise<ComponentHealth | null> {
  const newerSteps = await clusterServers.listNewerSteps();
  if (newerSteps.length > 0) {
    const error = 'a newer version has extended the schema; this server continues, upgrade it to that version';
    return { status: 'DEGRADED', details: { database, error, newerSteps } };
  }
  if (clusterServers.isPresenceHeld()) return null;
  const error = 'other servers do not know that this one runs; it tells them as soon as the database lets it';
  return { status: 'DEGRADED', details: { database, error } };
}

/** A damaged database can still be read, so the server stays in service. */
function toDatabaseHealth(database: string, state: DatabaseCheckState): ComponentHealth {
  if (state.kind === 'sound') return { status: 'UP', details: { database } };
  if (state.kind !== 'damaged') return { status: 'UP', details: { database, check: state.kind } };
  const error = 'the database file is damaged; make a copy of it, then restore it from a backup';
  return { status: 'DEGRADED', details: { database, check: 'damaged', error, findings: state.findings } };
}

/** The state of an external service; `embedded` if its work is done in this process. */
type ServiceState = { readonly mode: string; readonly connected?: boolean; readonly [detail: string]: unknown };

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
export const storageProbe = (
  listNodes: () => Promise<readonly StorageNode[]>,
  isFull: () => boolean = () => false,
): HealthProbe => ({
  name: 's3Storage',
  check: async () => {
    const health = toStorageHealth(await listNodes());
    if (!isFull()) return health;
    const status = health.status === 'UP' ? 'DEGRADED' : health.status;
    return { status, details: { ...health.details, full: true } };
  },
});

export function toStorageHealth(nodes: readonly StorageNode[]): ComponentHealth {
  const healthyNodes = nodes.filter(node => node.online).length;
  const status = healthyNodes === 0 ? 'DOWN' : healthyNodes < nodes.length ? 'DEGRADED' : 'UP';
  return { status, details: { healthyNodes, totalNodes: nodes.length } };
}

/** An unreachable chain is DOWN; one that lags is DEGRADED. */
export const blockchainProbe = (read: () => Promise<ChainStatus>): HealthProbe => ({
  name: 'blockchain',
  check: async () => {
    const { healthy, blockNumber, chainType, nodeCount } = await read();
    const status = healthy ? 'UP' : blockNumber === null ? 'DOWN' : 'DEGRADED';
    return { status, details: { chainType, nodeCount } };
  },
});

export const sagaProbe = (count: () => Promise<SagaCounts>, thresholds: HealthThresholds): HealthProbe => ({
  name: 'saga',
  countsAllTenants: true,
  check: async () => toSagaHealth(await count(), thresholds),
});

export function toSagaHealth(counts: SagaCounts, thresholds: HealthThresholds): ComponentHealth {
  const { running, failed, pendingCompensation } = counts;
  const isSlow = running > thresholds.sagaRunningDegraded || pendingCompensation > thresholds.sagaCompensationDegraded;
  const status = failed > thresholds.sagaFailedDown ? 'DOWN' : isSlow ? 'DEGRADED' : 'UP';
  return { status, details: { running, failed, pendingCompensation } };
}

export const outboxProbe = (count: () => Promise<OutboxCounts>, thresholds: HealthThresholds): HealthProbe => ({
  name: 'outbox',
  countsAllTenants: true,
  check: async () => toOutboxHealth(await count(), thresholds),
});

export function toOutboxHealth({ pending, failed }: OutboxCounts, thresholds: HealthThresholds): ComponentHealth {
  const isSlow = pending > thresholds.outboxPendingDegraded;
  const status = failed > thresholds.outboxFailedDown ? 'DOWN' : isSlow ? 'DEGRADED' : 'UP';
  return { status, details: { pending, failed } };
}

/** Key problems, by provider and version; read at most once in ten seconds. */
type ReadKeys = () => Promise<readonly UnusableKey[]>;

const mostKeysNamed = 20;

/** Seals and opens a block, and reports keys that this server cannot wrap with or cannot open. */
export function encryptionProbe(provider: Pick<KeyProvider, 'id'>, readKeys: ReadKeys): HealthProbe {
  let hasAesNi: Promise<boolean> | undefined;
  return {
    name: 'encryption',
    check: async () => {
      hasAesNi ??= likelyHasAesNi();
      const details = { algorithm: 'AES-256-GCM', likelyHasAesNi: await hasAesNi, keyProvider: provider.id };
      const unusableKeys = await readKeys();
      const [first] = unusableKeys;
      if (first === undefined) return { status: sealAndOpen() ? 'UP' : 'DOWN', details };
      const keys = unusableKeys.slice(0, mostKeysNamed).map(toUnusable);
      return { status: 'DOWN', details: { ...details, keyFailure: first.failure.category, unusableKeys: keys } };
    },
  };
}

const toUnusable = ({ provider, keyVersion, failure: { category } }: UnusableKey) => ({
  provider,
  ...(keyVersion !== null && { keyVersion }),
  failure: category,
});

/** Self-test of AES. */
function sealAndOpen(): boolean {
  const key = createSecretKey(randomBytes(32));
  const nonce = randomBytes(12);
  const plain = randomBytes(64);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAuthTag(cipher.getAuthTag());
  return Buffer.concat([decipher.update(sealed), decipher.final()]).equals(plain);
}

/** Linux reports CPU features; on other systems, all current machines of these architectures have it. */
const likelyHasAesNi = async (): Promise<boolean> =>
  process.platform === 'linux' ? readProcessorFlags() : isCommonProcessor();

const isCommonProcessor = (): boolean => process.arch === 'x64' || process.arch === 'arm64';

const readProcessorFlags = (): Promise<boolean> => readFile('/proc/cpuinfo', 'utf8').then(namesAes, isCommonProcessor);

/** `flags` on x86, `Features` on ARM. */
export const namesAes = (cpuinfo: string): boolean => /^(flags|Features)\s*:.*\baes\b/m.test(cpuinfo);
