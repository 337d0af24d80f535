// What a file consists of: the ordered chunks with their hashes, and the hash over all of it.
import { feature } from '../../platform/feature.ts';
import { manifestMigrations } from './migrations.ts';

export {
  activateManifests,
  type BuiltManifest,
  buildManifest,
  findActiveManifest,
  findActiveManifestJson,
  listActiveManifestHashes,
  listActiveManifestJson,
  listManifestJson,
} from './activate-manifest.ts';

export const manifests = feature({ name: 'manifests', floor: 1, migrations: manifestMigrations });
