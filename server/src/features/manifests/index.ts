// What a file consists of: the ordered chunks with their hashes, and the hash over all of it.
export {
  activateManifest,
  type BuiltManifest,
  buildManifest,
  findActiveManifest,
  findActiveManifestJson,
} from './activate-manifest.ts';
export { manifestMigrations } from './migrations.ts';
