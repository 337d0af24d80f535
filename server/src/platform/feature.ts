// What a feature brings along. The composition root collects these and nothing else.
import type { Route } from './http/route.ts';
import type { JobHandler } from './jobs/jobs.ts';
import type { Schedule } from './jobs/schedules.ts';
import type { Consumer } from './outbox/outbox.ts';
import type { Saga } from './saga/saga.ts';

export type Feature = {
  readonly name: string;
  readonly routes?: readonly Route[];
  readonly jobs?: readonly JobHandler[];
  readonly schedules?: readonly Schedule[];
  readonly consumers?: readonly Consumer[];
  readonly sagas?: readonly Saga[];
};
