// Version chains: which file continues which.
import { feature } from '../../platform/feature.ts';
import { versionRoutes } from './routes.ts';

export {
  appendVersion,
  assertContinuable,
  beginChains,
  toPlace,
  type VersionPlace,
} from './append-version.ts';
export { findNewest, listOutdated } from './queries.ts';
export { findPlace, resolveNameConflict } from './resolve-name-conflict.ts';
export {
  demoteLatest,
  findLatestVersion,
  lockVersionChain,
  lockVersionChains,
  promotePrevious,
} from './version-chain.ts';

export const versions = feature({
  name: 'versions',
  floor: 2,
  open: server => ({ routes: versionRoutes(server) }),
});
