// A partial server: it has only the parts that the features under test use.
import type { Feature } from '@recordproof/server/platform/feature.ts';
import type { FeatureParts } from '@recordproof/server/platform/feature-parts.ts';
import type { Server } from '@recordproof/server/platform/server.ts';

/** A missing part is undefined, and its use fails the test. */
export const smallServer = (given: Partial<Server>): Server => given as Server;

export const partsOf = (server: Server, ...features: readonly Feature[]): FeatureParts[] =>
  features.map(({ open }) => open?.(server) ?? {});
