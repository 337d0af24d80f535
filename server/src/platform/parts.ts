// What a feature, or the platform itself, brings along when it is opened.
import type { HealthProbe } from './health.ts';
import type { Hooks } from './hooks.ts';
import type { Route } from './http/route.ts';
import type { JobHandler } from './jobs/jobs.ts';
import type { Schedule } from './jobs/schedules.ts';
import type { Consumer } from './outbox/outbox.ts';
import type { Saga } from './saga/saga.ts';

export type Parts = {
  readonly routes?: readonly Route[];
  readonly jobs?: readonly JobHandler[];
  readonly schedules?: readonly Schedule[];
  readonly consumers?: readonly Consumer[];
  readonly sagas?: readonly Saga[];
  readonly health?: readonly HealthProbe[];
  /** What it does inside the transactions of the features below. */
  readonly hooks?: Partial<Hooks>;
};
