// Version chains: which file continues which.
import { feature } from '../../platform/feature.ts';
import { versionRoutes } from './routes.ts';

export {
  appendVersion,
  assertContinuable,
  beginChains,
  toPosition,
  type VersionPosition,
} from './append-version.ts';
export { findNewest, listOutdated } from './queries.ts';
export { findTargetFolder, resolveNameConflict } from './resolve-name-conflict.ts';
export {
  demoteLatest,
  findLatestVersion,
  lockVersionChain,
  lockVersionChains,
  promotePrevious,
} from './version-chain.ts';

export const versions = feature({
  name: 'versions',
  layer: 2,
  open: server => ({ routes: versionRoutes(server) }),
});
