// Limits of an API token's stream: no events outside its scopes and, if it is limited to a folder, only events known to
// concern a file in it.

import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { eventPermissions } from '@recordproof/shared/api/events.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { isWithin } from '../../platform/http/narrow.ts';

export type StreamLimits = { readonly permissions: ReadonlySet<Permission>; readonly folder: string | null };

/** Null for a session, which receives everything. */
export const limitsOf = ({ apiToken, permissions }: Pick<Actor, 'apiToken' | 'permissions'>): StreamLimits | null =>
  apiToken === undefined ? null : { permissions, folder: apiToken.folder };

const findPath = (payloadJson: string): unknown => (JSON.parse(payloadJson) as { path?: unknown }).path;

/** `payloadJson` is parsed only for a folder limit. */
export function mayReceive(limits: StreamLimits | null, type: string, payloadJson: string): boolean {
  if (limits === null) return true;
  const permission = (eventPermissions as Readonly<Record<string, Permission | null | undefined>>)[type];
  if (permission == null || !limits.permissions.has(permission)) return false;
  if (limits.folder === null) return true;
  const path = findPath(payloadJson);
  return typeof path === 'string' && isWithin(limits.folder, path);
}
