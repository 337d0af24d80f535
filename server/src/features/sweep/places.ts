// Where the objects of a tenant lie in the store, and what their names tell. Ledger, backups of the audit log and whatever
// else lies in the store are none of these places: no census looks there, so nothing there can be swept.
import type { Key } from '../../platform/db/tables.ts';

const stored = /^tenant-\d+\/[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f]{16}$/;
const short = /^(short\/[0-9A-Za-z]+\/)\d+$/;
const staged = /^staging\/([0-9A-Za-z]+)\/\d+(-[0-9A-Za-z]+)?$/;

/** Uploads put their bytes into places that name no tenant: these belong to a tenant only where there is no other. */
export const placesOf = (tenantId: Key, isOnlyTenant: boolean): readonly string[] => [
  `tenant-${tenantId}/`,
  ...(isOnlyTenant ? ['short/', 'staging/'] : []),
];

type ObjectName =
  | { readonly kind: 'stored' }
  | { readonly kind: 'short'; readonly tray: string }
  | { readonly kind: 'staged'; readonly upload: string }
  | { readonly kind: 'foreign' };

export function parseObjectName(key: string): ObjectName {
  if (stored.test(key)) return { kind: 'stored' };
  const [, tray] = short.exec(key) ?? [];
  if (tray !== undefined) return { kind: 'short', tray };
  const [, upload] = staged.exec(key) ?? [];
  return upload === undefined ? { kind: 'foreign' } : { kind: 'staged', upload };
}
