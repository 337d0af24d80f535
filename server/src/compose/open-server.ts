// Opening the server from the platform and the list of features: first the parts that features provide to each other,
// then the features themselves.
import type { Feature } from '../platform/feature.ts';
import { openHooks } from '../platform/hooks.ts';
import type { Parts } from '../platform/parts.ts';
import type { Platform, Server } from '../platform/server.ts';
import { features, type ListedFeature } from './features.ts';

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
  parts: Parts[],
  sagas: Server['sagas'],
  opening: AsyncDisposableStack,
): Promise<Server> {
  const provided = await openProvided(platform, opening);
  const server: Server = { ...platform, ...provided, parts, hooks: openHooks(parts), sagas };
  // In the order of the list; each feature sees the parts of those before it.
  for (const { open } of features) parts.push(open?.(server) ?? {});
  return server;
}
