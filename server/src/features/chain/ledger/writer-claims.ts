// Compare-and-swap of the writer record, on every object store: to replace a record, a server first creates its claim,
// which only one server can (`create`). The claim of a crashed server is replaced in the same way once it is stale.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Clock, toIso } from '../../../platform/clock.ts';
import { findJson } from '../../../platform/objects/find-json.ts';
import { type ObjectStore, ObjectStoreError } from '../../../platform/objects/object-store.ts';
import { toObjectKey } from './tile-store.ts';

const largestClaim = 8192;
/** A claim is held for two calls to the object store. */
const staleMs = 60_000;

const claimRecord = z.strictObject({
  format: z.literal('recordproof-writer-claim'),
  formatVersion: z.literal(1),
  nonce: z.uuid(),
  /** Of the claiming database. */
  identity: z.string().max(4000),
  claimedAt: z.iso.datetime(),
});

type Ports = {
  readonly objects: Pick<ObjectStore, 'create' | 'get' | 'delete'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly identity: string;
};

/** The claims to delete once the record is replaced; null if another database replaces it. */
type Claims = readonly string[] | null;

/** `replaced`: the nonce of the record, null if there is none. Servers that share a database share a claim. */
export async function claimRecordOf(replaced: string | null, { objects, clock, identity }: Ports): Promise<Claims> {
  const nonce = randomUUID();
  const keys: string[] = [];
  for (let after = replaced ?? 'none'; ; ) {
    const key = toObjectKey(`writers/${after}`);
    keys.push(key);
    const claimedAt = toIso(clock.now());
    if (await create(objects, key, { nonce, identity, claimedAt })) return keys;
    const other = await findJson(objects, key, { schema: claimRecord, maxBytes: largestClaim });
    if (other === null) return null; // deleted in between: the record has been replaced
    if (other.identity === identity) return keys;
    if (Math.abs(clock.now() - Date.parse(other.claimedAt)) < staleMs) return null;
    after = other.nonce;
  }
}

export async function deleteClaims(keys: readonly string[], objects: Pick<ObjectStore, 'delete'>): Promise<void> {
  for (const key of keys) await objects.delete(key);
}

type Claim = Omit<z.infer<typeof claimRecord>, 'format' | 'formatVersion'>;

/** Returns false if it exists. */
async function create(objects: Ports['objects'], key: string, claim: Claim): Promise<boolean> {
  const header = { format: 'recordproof-writer-claim', formatVersion: 1 };
  const bytes = Buffer.from(`${JSON.stringify({ ...header, ...claim }, null, 2)}\n`);
  try {
    await objects.create(key, [bytes], { size: bytes.length });
    return true;
  } catch (error) {
    if (error instanceof ObjectStoreError && error.kind === 'EXISTS') return false;
    throw error;
  }
}
