// What a file consists of: the ordered chunks with their hashes, and the hash over all of it.
import type { Db } from '../../platform/db/tables.ts';
import type { Feature } from '../../platform/feature.ts';
import { manifestRoutes } from './download-metadata.ts';

export {
  activateManifest,
  type BuiltManifest,
  buildManifest,
  findActiveManifest,
  findActiveManifestJson,
  findManifestJson,
} from './activate-manifest.ts';
export { toDownloadMetadata } from './download-metadata.ts';
export { manifestMigrations } from './migrations.ts';

export const manifests = (ports: { readonly db: Db }): Feature => ({
  name: 'manifests',
  routes: manifestRoutes(ports),
});
