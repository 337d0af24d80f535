// Selection of the cluster implementation by configuration.
import type { CircuitBreakers } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import type { Secret } from '../secret.ts';
import type { Cluster } from './cluster.ts';
import { MemoryCluster } from './memory.ts';

export type ClusterOptions =
  /** `amongSeveral`: there may be other servers, which do not share this state. */
  { kind: 'memory'; amongSeveral?: boolean } | { kind: 'redis'; url: Secret };

type Tools = {
  readonly clock: { now(): number };
  readonly log: LogPort;
  readonly breakers?: CircuitBreakers;
};

/** Opens the configured cluster. The Redis client is loaded only if it is used. */
export const openCluster = async (config: ClusterOptions, { clock, log, breakers }: Tools): Promise<Cluster> => {
  if (config.kind === 'memory') return new MemoryCluster({ clock, log });
  const { openRedisCluster } = await import('./redis.ts');
  const guard = breakers?.guard('redis', { openMs: 5000 });
  return openRedisCluster({ url: config.url.reveal(), log, ...(guard && { guard }) });
};
