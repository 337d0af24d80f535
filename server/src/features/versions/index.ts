// Version chains: which file continues which.
import type { Db } from '../../platform/db/tables.ts';
import type { Feature } from '../../platform/feature.ts';
import { versionRoutes } from './routes.ts';

export { appendVersion, assertContinuable, type Owner, type VersionPlace } from './append-version.ts';
export { versionMigrations } from './migrations.ts';
export { hasNewerVersion } from './queries.ts';

export const versions = (ports: { readonly db: Db }): Feature => ({ name: 'versions', routes: versionRoutes(ports) });
