// Interface of health probes.
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import type { Key } from './db/tables.ts';

/** One component of the service. `check` throws if it cannot tell; it should end when the signal is aborted. */
export type HealthProbe = {
  readonly name: string;
  /** The details count all tenants, so they are hidden from a single one if there are several. */
  readonly countsAllTenants?: true;
  check(signal: AbortSignal): Promise<ComponentHealth> | ComponentHealth;
  /** State of a single tenant; `check` then covers all of them. */
  readonly checkTenant?: (tenantId: Key) => Promise<ComponentHealth>;
};
