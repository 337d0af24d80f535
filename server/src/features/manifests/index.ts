// Manifests: the ordered chunks of a file with their hashes, and the hash over them.
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
  writeManifests,
} from './activate-manifest.ts';
export { packManifest, unpackManifest } from './packed-manifest.ts';

export const manifests = feature({ name: 'manifests', layer: 1, migrations: manifestMigrations });
