// A feature is one value: its name, its tables, what it opens for others, and what it brings along. The composition root
// collects these from the list and nothing else.
import type { ClaimedState } from './db/claim.ts';
import type { Migration } from './db/migrate.ts';
import type { Parts } from './parts.ts';
import type { Platform, Server } from './server.ts';

export type Feature<Provided extends Partial<Server> = Partial<Server>> = {
  /** Of its folder, its contract, its tables and its topic on the command line. */
  readonly name: string;
  /**
   * It may use features of lower floors and of its own, never of higher ones: 0 people and audit, 1 keeping, 2 files
   * and friends, 3 what is done with them, 4 what looks at all of it.
   */
  readonly floor: 0 | 1 | 2 | 3 | 4;
  readonly migrations?: readonly Migration[];
  /** Of its tables, those whose rows are claimed. */
  readonly claims?: readonly ClaimedState[];
  /**
   * Opens what it adds to `Server`, before any feature is opened. What has to be closed goes to `opening`, which closes
   * in reverse.
   */
  readonly provide?: (platform: Platform, opening: AsyncDisposableStack) => Provided | Promise<Provided>;
  /** Called once, when all of the server is there. */
  readonly open?: (server: Server) => Parts;
};

export const feature = <Provided extends Partial<Server> = object>(given: Feature<Provided>): Feature<Provided> =>
  given;
