// The one place where a file is made to count.
import type { Time, Tx } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import type { VersionPlace } from '../versions/index.ts';

export { proveFile, storeOlder } from './older-records.ts';
export { type FileToRecord, type FileToStore, storeFiles, storeUnrecorded } from './store-files.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Ends what held for the versions before these, under the locks of their chains. */
    versionsStored: (tx: Tx, newest: readonly VersionPlace[], now: Time) => Promise<void>;
  }
}

export const stored = feature({ name: 'stored', floor: 2 });
