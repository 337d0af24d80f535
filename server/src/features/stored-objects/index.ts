// Stored objects: which bytes are in the object store, who references them, and when they are deleted.
import { feature } from '../../platform/feature.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { listSelftestFolders, sweepSelftests } from '../../platform/selftest-area.ts';
import type { Server } from '../../platform/server.ts';
import { collectObjects } from './collect.ts';
import { collectJobKind } from './holds.ts';

export { deletionsLock, markOrphanDeleted, markOrphanForDeletion, withoutDeletions } from './collect.ts';
export { listWaiting, type Waiting } from './collect-queries.ts';
export {
  countStored,
  findLivePaths,
  type HeldBy,
  type HolderOfPath,
  isBeingDeleted,
  isKept,
  isNotedOtherwise,
  listCoHolders,
  listHeldBy,
  listHoldersOf,
  listKept,
  listNotedPaths,
  listReferencedOrDeleting,
  listStored,
  type StoredRow,
} from './queries.ts';

export {
  type DueObject,
  findOldestVerified,
  listDueObjects,
  listFailedObjects,
  listHolders,
  noteArrivals,
  noteRead,
  type ReadObject,
  sampleReadable,
} from './verified.ts';
export { countFailed, countVerified, toHourStart } from './verified-counts.ts';

import { storedObjectMigrations } from './migrations.ts';

export {
  type HeldObject,
  holdFoundObjects,
  holdObjects,
  holdPlaced,
  listHeld,
  type ObjectBytes,
  type PlacedObject,
  passHolds,
  releaseObjects,
  shareHolds,
} from './holds.ts';

const leftoversJobKind = 'stored-objects.leftovers';
/** Longer than any active transfer may be silent. */
const leftoverSeconds = 24 * 3600;

const sweepLeftovers = ({ objects, config, clock }: Pick<Server, 'objects' | 'config' | 'clock'>): JobHandler => ({
  kind: leftoversJobKind,
  leaseSeconds: 300,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async () => {
    await objects.sweepLeftovers(leftoverSeconds);
    const bucket = objects.backend === 'S3' ? objects : null;
    await sweepSelftests({ folders: listSelftestFolders(config), bucket, now: clock.now() });
  },
});

export const storedObjects = feature({
  name: 'stored-objects',
  layer: 1,
  migrations: storedObjectMigrations,
  open: server => ({
    jobs: [collectObjects(server), sweepLeftovers(server)],
    schedules: [
      { name: 'stored-objects', everySeconds: 600, jobKind: collectJobKind },
      { name: leftoversJobKind, everySeconds: 3600, jobKind: leftoversJobKind },
    ],
  }),
});
