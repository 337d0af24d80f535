// Version chains: which file continues which.
import { feature } from '../../platform/feature.ts';
import { versionRoutes } from './routes.ts';

export {
  appendVersion,
  beginChains,
  findContinued,
  toPosition,
  type VersionPosition,
} from './append-version.ts';
export {
  demoteLatest,
  findLatestVersion,
  findNewest,
  listOutdated,
  lockVersionChain,
  lockVersionChains,
  promotePrevious,
} from './queries.ts';
export { findTargetFolder, resolveNameConflict } from './resolve-name-conflict.ts';

export const versions = feature({
  name: 'versions',
  layer: 2,
  open: server => ({ routes: versionRoutes(server) }),
});
