// Features by rising layer, the schema of the platform and all of them, and their opening: first the parts that they
// provide to each other, then the features themselves.
import type { ClaimedState } from '../platform/db/claim.ts';
import type { Migration } from '../platform/db/migrate.ts';
import type { Feature } from '../platform/feature.ts';
import type { FeatureParts } from '../platform/feature-parts.ts';
import { openHooks } from '../platform/hooks.ts';
import { installationMigrations } from '../platform/installation.ts';
import { jobMigrations } from '../platform/jobs/migrations.ts';
import { lockMigrations } from '../platform/lock.ts';
import { programVersionMigrations } from '../platform/program-version.ts';
import { sagaMigrations } from '../platform/saga/migrations.ts';
import type { Platform, Server } from '../platform/server.ts';
import * as list from './list.ts';

type ListedFeature = (typeof list)[keyof typeof list];

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

type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** The parts that all features provide; a part of `Server` that none of them provides does not compile. */
type Provided = AllOf<ProvidedBy<ListedFeature>>;
type ProvidedBy<One> = One extends Feature<infer Some> ? Some : never;

async function openProvided(platform: Platform, opening: AsyncDisposableStack): Promise<Provided> {
  const provided: Partial<Server> = {};
  for (const { provide } of features) Object.assign(provided, await provide?.(platform, opening));
  return provided as Provided;
}

/** Fills `parts` with those of the features; `sagas` runs the sagas among them once they are collected. */
export async function openServer(
  platform: Platform,
  parts: FeatureParts[],
  sagas: Server['sagas'],
  opening: AsyncDisposableStack,
): Promise<Server> {
  const provided = await openProvided(platform, opening);
  const server: Server = { ...platform, ...provided, parts, hooks: openHooks(parts), sagas };
  // In the order of the list; each feature sees the parts of those before it.
  for (const { open } of features) parts.push(open?.(server) ?? {});
  return server;
}
