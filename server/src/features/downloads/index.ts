// Downloads: the bytes of stored files, whole, in ranges and in archives, each checked before it is sent.
import type { Db, Key } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import type { FileRow } from '../files/index.ts';
import { Downloads } from './download-counts.ts';
import type { Governance } from './download-metadata.ts';
import { downloadRoutes } from './routes.ts';

export { damageFound, deliveredBytes, downloadContent, type FoundDamage, openWhole } from './download.ts';
export { type Governance, toDownloadMetadata } from './download-metadata.ts';
export { isUnchanged, toAttachment } from './ranges.ts';
export { type Content, ContentDamaged, parseManifestOf, readContent } from './read-content.ts';
export { toZipMembers } from './zip-members.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Download counts per day. */
    readonly downloads: Downloads;
  }
}

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** The archive of the file's proof; null where none is issued. */
    findProofArchive: (file: FileRow) => Promise<Uint8Array | null>;
    /** The backfill verdict on a file without a manifest; null if it was not examined. */
    findGovernance: (db: Db, tenantId: Key, fileId: Key) => Promise<Governance | null>;
  }
}

export const downloads = feature({
  name: 'downloads',
  layer: 2,
  provide: (platform, opening) => ({ downloads: opening.use(new Downloads(platform)) }),
  open: server => ({ routes: downloadRoutes(server) }),
});
