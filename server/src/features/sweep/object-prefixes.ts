// Object prefixes of a tenant, and parsing of object names. Ledger, audit log backups and other objects have other
// prefixes: no census lists them, so they are never swept.
import type { Key } from '../../platform/db/tables.ts';

const stored = /^tenant-\d+\/[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f]{16}$/;
const short = /^(short\/[0-9A-Za-z]+\/)\d+$/;
const staged = /^staging\/([0-9A-Za-z]+)\/\d+(-[0-9A-Za-z]+)?$/;

/** Upload prefixes name no tenant: they are assigned to a tenant only if it is the only one. */
export const prefixesOf = (tenantId: Key, isOnlyTenant: boolean): readonly string[] => [
  `tenant-${tenantId}/`,
  ...(isOnlyTenant ? ['short/', 'staging/'] : []),
];

type ObjectName =
  | { readonly kind: 'stored' }
  | { readonly kind: 'short'; readonly area: string }
  | { readonly kind: 'staged'; readonly upload: string }
  | { readonly kind: 'foreign' };

export function parseObjectName(key: string): ObjectName {
  if (stored.test(key)) return { kind: 'stored' };
  const [, area] = short.exec(key) ?? [];
  if (area !== undefined) return { kind: 'short', area };
  const [, upload] = staged.exec(key) ?? [];
  return upload === undefined ? { kind: 'foreign' } : { kind: 'staged', upload };
}
