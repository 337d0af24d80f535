// A server of which only some parts are there: those that the features under test use.
import type { Feature } from '@recordproof/server/platform/feature.ts';
import type { Parts } from '@recordproof/server/platform/parts.ts';
import type { Server } from '@recordproof/server/platform/server.ts';

/** Whoever reaches for a part that was not given gets undefined, and the test fails there. */
export const smallServer = (given: Partial<Server>): Server => given as Server;

export const partsOf = (server: Server, ...features: readonly Feature[]): Parts[] =>
  features.map(({ open }) => open?.(server) ?? {});
