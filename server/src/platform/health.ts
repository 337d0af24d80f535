import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import type { Key } from './db/tables.ts';

/** One part of the service. `check` throws when it cannot tell; it should end when the signal is aborted. */
export type HealthProbe = {
  readonly name: string;
  /** Its details count what all tenants have, and are not told to one of several. */
  readonly countsAllTenants?: true;
  check(signal: AbortSignal): Promise<ComponentHealth> | ComponentHealth;
  /** Where each tenant has a state of its own, that of one; `check` then tells of all of them. */
  readonly checkTenant?: (tenantId: Key) => Promise<ComponentHealth>;
};
