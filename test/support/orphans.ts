// Unreferenced objects in the store of a server, as crashes and restored databases leave them.
import { createHash, randomBytes } from 'node:crypto';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';

export type Orphan = { readonly storagePath: string; readonly cipherHash: string; readonly size: number };

type Where = 'tenant' | 'short' | 'staging';

const token = () => randomBytes(12).toString('hex');

const pathIn = (where: Where, tenantId: number, sha256: string): string =>
  ({
    tenant: `tenant-${tenantId}/${sha256.slice(0, 2)}/${sha256}.${randomBytes(8).toString('hex')}`,
    short: `short/${token()}/${1_000_000_000 + Math.floor(Math.random() * 1_000_000)}`,
    staging: `staging/${token()}/0-${randomBytes(4).toString('hex')}`,
  })[where];

export async function leaveOrphan(
  objects: Pick<ObjectStore, 'put'>,
  tenantId: number,
  where: Where = 'tenant',
): Promise<Orphan> {
  const bytes = randomBytes(100);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const storagePath = pathIn(where, tenantId, sha256);
  await objects.put(storagePath, [bytes]);
  return { storagePath, cipherHash: `sha256:${sha256}`, size: bytes.length };
}
