// Permissions to see and to continue a version chain. Pure.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type { Actor, Owner } from '../../platform/http/caller.ts';
import type { FileRow } from '../files/index.ts';

/** Returns null if this owner may add a version. Another owner's file gets the same error as a missing one. */
export function mayContinue(
  owner: Owner,
  target: FileRow | null,
): 'VERSION_SOURCE_INVALID' | 'VERSION_CONFLICT' | null {
  const isOwn = target?.tenant_id === owner.tenantId && target.owner_id === owner.ownerId;
  if (!isOwn || target.status !== fileStatus.SUCCESS) return 'VERSION_SOURCE_INVALID';
  return target.is_latest === 1 ? null : 'VERSION_CONFLICT';
}

export const maySeeChain = (actor: Pick<Actor, 'tenantId' | 'userId' | 'permissions'>, file: FileRow): boolean =>
  file.tenant_id === actor.tenantId && (file.owner_id === actor.userId || actor.permissions.has('file:admin'));
