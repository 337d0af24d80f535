// Which bytes lie in the object store, for whom, and when they may go.
import type { Feature } from '../../platform/feature.ts';
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

export const storedObjects = (ports: CollectPorts): Feature => ({
  name: 'stored-objects',
  jobs: [collectObjects(ports)],
  schedules: [{ name: 'stored-objects', everySeconds: 600, jobKind: collectJobKind }],
});
