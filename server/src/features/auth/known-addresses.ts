// Known addresses: those from which the right password of an account was given before. Guesses from elsewhere do not
// lock them out, because each has a failure counter of its own. At most twenty per account, least recently used removed
// first; only digests are stored. Known devices: the owner is notified of a sign-in from another device, or from an
// address that is none of them; not of the account's first sign-in.
import { createHash } from 'node:crypto';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { toAddressKey } from '../../platform/http/rate-limit.ts';

type Owner = { readonly id: Key; readonly tenant_id: Key };

const mostAddresses = 20;
const dayMs = 24 * 3600_000;
/** An address in daily use is written once a day. */
const renewAfterMs = dayMs;
export const knownAddressLifetimeMs = 90 * dayMs;

/** Salted per account: the same address has different digests. */
export const addressDigestOf = ({ id, tenant_id }: Owner, ip: string): string =>
  createHash('sha256')
    .update(`${tenant_id}:${id}:${toAddressKey(ip)}`)
    .digest('base64url')
    .slice(0, 22);

/** Unknown accounts are queried as well, for equal timing. */
export async function findKnownAddress(db: Db, owner: Owner | null, ip: string, now: Time): Promise<string | null> {
  const { id, tenant_id } = owner ?? { id: 0, tenant_id: 0 };
  const digest = addressDigestOf({ id, tenant_id }, ip);
  const row = await selectWhere(db, 'known_address', { user_id: id, address_digest: digest })
    .select('address_digest')
    .where('seen_at', '>', now - knownAddressLifetimeMs)
    .executeTakeFirst();
  return row?.address_digest ?? null;
}

export const listKnownAddresses = async (db: Db, { id }: Owner): Promise<string[]> =>
  (await db.selectFrom('known_address').select('address_digest').where('user_id', '=', id).execute()).map(
    row => row.address_digest,
  );

export const renewKnownAddress = (tx: Tx, { id }: Owner, digest: string, now: Time): Promise<unknown> =>
  tx
    .updateTable('known_address')
    .set({ seen_at: now })
    .where('user_id', '=', id)
    .where('address_digest', '=', digest)
    .where('seen_at', '<', now - renewAfterMs)
    .execute();

export async function addKnownAddress(tx: Tx, owner: Owner, ip: string, now: Time): Promise<void> {
  const address_digest = addressDigestOf(owner, ip);
  await tx
    .insertInto('known_address')
    .values({ user_id: owner.id, tenant_id: owner.tenant_id, address_digest, seen_at: now })
    .onConflict(conflict => conflict.columns(['user_id', 'address_digest']).doUpdateSet({ seen_at: now }))
    .execute();
  const kept = selectWhere(tx, 'known_address', { user_id: owner.id })
    .select('address_digest')
    .orderBy('seen_at', 'desc')
    .orderBy('address_digest')
    .limit(mostAddresses);
  await tx
    .deleteFrom('known_address')
    .where('user_id', '=', owner.id)
    .where('address_digest', 'not in', kept)
    .execute();
}

const mostDevices = 50;

const deviceDigestOf = ({ id, tenant_id }: Owner, device: string): string =>
  createHash('sha256').update(`${tenant_id}:${id}:${device}`).digest('base64url').slice(0, 22);

/** Stores the device; returns whether it is new to an account that has others. */
export async function rememberDevice(
  tx: Tx,
  account: Owner,
  { device, address, now }: { readonly device: string; readonly address: string; readonly now: Time },
): Promise<boolean> {
  const device_digest = deviceDigestOf(account, device);
  const address_digest = addressDigestOf(account, address);
  const devices = await selectWhere(tx, 'known_device', { user_id: account.id })
    .select(['device_digest', 'address_digest', 'seen_at'])
    .where('seen_at', '>', now - knownAddressLifetimeMs)
    .orderBy('seen_at', 'desc')
    .execute();
  const isKnown =
    devices.some(one => one.device_digest === device_digest) &&
    devices.some(one => one.address_digest === address_digest);
  await tx
    .insertInto('known_device')
    .values({ user_id: account.id, tenant_id: account.tenant_id, device_digest, address_digest, seen_at: now })
    .onConflict(conflict =>
      conflict.columns(['user_id', 'device_digest', 'address_digest']).doUpdateSet({ seen_at: now }),
    )
    .execute();
  const oldest = devices[mostDevices - 1]?.seen_at;
  if (oldest !== undefined)
    await tx.deleteFrom('known_device').where('user_id', '=', account.id).where('seen_at', '<', oldest).execute();
  return devices.length > 0 && !isKnown;
}
