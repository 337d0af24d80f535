// Which bytes lie in the object store, for whom, and when they may go.
import { feature } from '../../platform/feature.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { collectObjects } from './collect.ts';
import { collectJobKind } from './holds.ts';

export { listWaiting, type Waiting } from './collect-queries.ts';
export { deletionsLock, withoutDeletions } from './pause-deletions.ts';
export {
  countStored,
  findLivePaths,
  type HeldBy,
  type HolderOfPath,
  isGivenUp,
  isKept,
  isNotedOtherwise,
  type KeptObject,
  listCaredFor,
  listCoHolders,
  listHeldBy,
  listHoldersOf,
  listKept,
  listNotedPaths,
  listStored,
  type StoredRow,
} from './queries.ts';

export {
  countVerified,
  type DueObject,
  findOldestVerified,
  listDueObjects,
  listHolders,
  noteArrivals,
  noteVerified,
  type VerifiedObject,
} from './verified.ts';

import { storedObjectMigrations } from './migrations.ts';

export {
  adoptObjects,
  type HeldObject,
  holdObjects,
  holdPlaced,
  listHeld,
  type ObjectBytes,
  type PlacedObject,
  passHolds,
  releaseObjects,
  shareHolds,
} from './holds.ts';

export { giveUpOrphan, noteOrphanGone } from './orphans.ts';

const leftoversJobKind = 'stored-objects.leftovers';
/** Longer than any transfer that is still alive may have been silent. */
const leftoverSeconds = 24 * 3600;

const sweepLeftovers = ({ objects }: Pick<Server, 'objects'>): JobHandler => ({
  kind: leftoversJobKind,
  leaseSeconds: 300,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async () => void (await objects.sweepLeftovers(leftoverSeconds)),
});

export const storedObjects = feature({
  name: 'stored-objects',
  floor: 1,
  migrations: storedObjectMigrations,
  open: server => ({
    jobs: [collectObjects(server), sweepLeftovers(server)],
    schedules: [
      { name: 'stored-objects', everySeconds: 600, jobKind: collectJobKind },
      { name: leftoversJobKind, everySeconds: 3600, jobKind: leftoversJobKind },
    ],
  }),
});
