// Features by rising layer, and the schema of the platform and all of them.
import type { ClaimedState } from '../platform/db/claim.ts';
import type { Migration } from '../platform/db/migrate.ts';
import { installationMigrations } from '../platform/installation.ts';
import { jobMigrations } from '../platform/jobs/migrations.ts';
import { lockMigrations } from '../platform/lock.ts';
import { programVersionMigrations } from '../platform/program-version.ts';
import { sagaMigrations } from '../platform/saga/migrations.ts';
import * as list from './list.ts';

export type ListedFeature = (typeof list)[keyof typeof list];

export const features: readonly ListedFeature[] = Object.values(list).toSorted((a, b) => a.layer - b.layer);

export const claims: readonly ClaimedState[] = [
  { table: 'job', column: 'state', values: ['RUNNING'] },
  ...features.flatMap(feature => feature.claims ?? []),
];

/** Ordered by name. */
export const migrations: readonly Migration[] = [
  ...installationMigrations,
  ...jobMigrations,
  ...sagaMigrations,
  ...lockMigrations,
  ...programVersionMigrations,
  ...features.flatMap(feature => feature.migrations ?? []),
];
