// The parts that a feature, or the platform itself, contributes to the server.
import type { EraseSome } from './db/tenant-rows.ts';
import type { HealthProbe } from './health.ts';
import type { Hooks } from './hooks.ts';
import type { Route } from './http/route.ts';
import type { JobHandler } from './jobs/jobs.ts';
import type { Schedule } from './jobs/schedules.ts';
import type { Consumer } from './outbox/outbox.ts';
import type { Saga } from './saga/saga.ts';

export type FeatureParts = {
  /** Deleted with their tenant, in this order; excludes everything that proofs, ledger or audit log refer to. */
  readonly tenantRows?: readonly EraseSome[];
  readonly routes?: readonly Route[];
  readonly jobs?: readonly JobHandler[];
  readonly schedules?: readonly Schedule[];
  readonly consumers?: readonly Consumer[];
  readonly sagas?: readonly Saga[];
  readonly health?: readonly HealthProbe[];
  /** Hooks in transactions of lower features. */
  readonly hooks?: Partial<Hooks>;
};
