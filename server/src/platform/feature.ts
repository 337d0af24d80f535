// A feature as one value: name, tables, what it provides to others, and its parts. The composition root collects them
// from the list.
import type { ClaimedState } from './db/claim.ts';
import type { Migration } from './db/migrate.ts';
import type { FeatureParts } from './feature-parts.ts';
import type { Platform, Server } from './server.ts';

export type Feature<Provided extends Partial<Server> = Partial<Server>> = {
  /** Also the name of its folder, contract, tables and command line topic. */
  readonly name: string;
  /**
   * A feature may use features of its own and lower layers: 0 accounts and audit, 1 keeping, 2 files and friends, 3
   * operations on them, 4 monitoring and checks of all.
   */
  readonly layer: 0 | 1 | 2 | 3 | 4;
  readonly migrations?: readonly Migration[];
  /** Claimed states of its tables. */
  readonly claims?: readonly ClaimedState[];
  /**
   * Creates its part of `Server` before any feature is opened. Resources go to `opening`, which closes them in reverse.
   */
  readonly provide?: (platform: Platform, opening: AsyncDisposableStack) => Provided | Promise<Provided>;
  /** Called once, with the complete server. */
  readonly open?: (server: Server) => FeatureParts;
};

export const feature = <Provided extends Partial<Server> = object>(definition: Feature<Provided>): Feature<Provided> =>
  definition;
