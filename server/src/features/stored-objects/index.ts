// Which bytes lie in the object store, for whom, and when they may go.
import type { Feature } from '../../platform/feature.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { type CollectPorts, collectObjects } from './collect.ts';
import { collectJobKind } from './holds.ts';

export {
  type HeldObject,
  type Holder,
  holdObjects,
  listHeld,
  type ObjectBytes,
  passHolds,
  releaseObjects,
  shareHolds,
} from './holds.ts';
export { storedObjectMigrations } from './migrations.ts';

type Ports = CollectPorts & { readonly objects: Pick<ObjectStore, 'sweepLeftovers'> };

const leftoversJobKind = 'stored-objects.leftovers';
/** Longer than any transfer that is still alive may have been silent. */
const leftoverSeconds = 24 * 3600;

const sweepLeftovers = ({ objects }: Ports): JobHandler => ({
  kind: leftoversJobKind,
  leaseSeconds: 300,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async () => void (await objects.sweepLeftovers(leftoverSeconds)),
});

export const storedObjects = (ports: Ports): Feature => ({
  name: 'stored-objects',
  jobs: [collectObjects(ports), sweepLeftovers(ports)],
  schedules: [
    { name: 'stored-objects', everySeconds: 600, jobKind: collectJobKind },
    { name: leftoversJobKind, everySeconds: 3600, jobKind: leftoversJobKind },
  ],
});
