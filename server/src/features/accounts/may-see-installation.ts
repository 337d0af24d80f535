// Access to the state of the whole installation: its administrators, and the staff of the only tenant.
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { isOnlyTenant } from './tenant-queries.ts';

export const maySeeInstallation = async (
  db: Db,
  { tenantId, permissions }: Pick<Actor, 'tenantId' | 'permissions'>,
): Promise<boolean> => permissions.has('installation:admin') || (await isOnlyTenant(db, tenantId));
