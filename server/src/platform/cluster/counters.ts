// Rate counters. While the shared counter is unavailable each server counts for itself, so limits still apply, per
// server.
import type { Clock } from '../clock.ts';
import type { LogPort } from '../log-port.ts';
import { type Cluster, ClusterUnavailable, type RateHit } from './cluster.ts';
import { MemoryCluster } from './memory.ts';

export type Counter = Pick<Cluster, 'hit' | 'uncount'>;

export type Counters = {
  /** Shared by all servers; falls back to this process while they cannot agree. Never throws ClusterUnavailable. */
  readonly shared: Counter;
  /** For this process only; has no external dependency. */
  readonly local: Counter;
};

export function openCounters(cluster: Counter, ports: { readonly clock: Clock; readonly log: LogPort }): Counters {
  if (cluster instanceof MemoryCluster) return { shared: cluster, local: cluster };
  const local = new MemoryCluster(ports);
  return { shared: new FallingBack(cluster, local, ports.log), local };
}

class FallingBack implements Counter {
  readonly #shared: Counter;
  readonly #local: Counter;
  readonly #log: LogPort;
  #isAlone = false;

  constructor(shared: Counter, local: Counter, log: LogPort) {
    this.#shared = shared;
    this.#local = local;
    this.#log = log;
  }

  async hit(key: string, limit: number, windowMs: number, nowMs: number): Promise<RateHit> {
    try {
      const hit = await this.#shared.hit(key, limit, windowMs, nowMs);
      if (this.#isAlone) this.#log.info({}, 'rate limits are counted across all servers again');
      this.#isAlone = false;
      return hit;
    } catch (error) {
      if (!(error instanceof ClusterUnavailable)) throw error;
      const reason = error.message;
      if (!this.#isAlone)
        this.#log.warn({ reason }, 'rate limits are counted per server until Redis is available again');
      this.#isAlone = true;
      return this.#local.hit(key, limit, windowMs, nowMs);
    }
  }

  /** Gives back where the call was counted, or nowhere: one count too many does no harm. */
  async uncount(key: string): Promise<void> {
    if (this.#isAlone) return this.#local.uncount(key);
    try {
      await this.#shared.uncount(key);
    } catch (error) {
      if (!(error instanceof ClusterUnavailable)) throw error;
    }
  }
}
