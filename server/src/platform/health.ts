import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';

/** One part of the service. `check` throws when it cannot tell; it should end when the signal is aborted. */
export type HealthProbe = {
  readonly name: string;
  /** Its details count what all tenants have, and are not told to one of several. */
  readonly countsAllTenants?: true;
  check(signal: AbortSignal): Promise<ComponentHealth> | ComponentHealth;
};
