// Rules for changes to tenants. Pure.
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import type { Key } from '../../platform/db/tables.ts';

type Standing = { readonly id: Key; readonly name: string; readonly status: TenantStatus };

/** Returns null if it may be suspended or deleted. */
export function mayEnd({ id }: Standing, firstTenantId: Key): string | null {
  return id === firstTenantId
    ? 'this tenant holds the administrators of the installation: it is neither suspended nor deleted'
    : null;
}

/** Returns null if it may become active or suspended. */
export function mayChange({ name, status }: Standing): string | null {
  return status === 'DELETING' || status === 'DELETED'
    ? `tenant ${name} is being deleted: that cannot be undone`
    : null;
}
