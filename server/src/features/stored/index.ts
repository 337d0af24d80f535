// Storing of files: the common path by which every file becomes visible and counted.
import type { Time, Tx } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import type { VersionPosition } from '../versions/index.ts';

export { proveFile, storeOlder } from './older-records.ts';
export { type FileToRecord, type FileToStore, storeFiles, storeUnrecorded } from './store-files.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Supersedes the state of earlier versions, under the locks of their chains. */
    versionsStored: (tx: Tx, newest: readonly VersionPosition[], now: Time) => Promise<void>;
  }
}

export const stored = feature({ name: 'stored', layer: 2 });
