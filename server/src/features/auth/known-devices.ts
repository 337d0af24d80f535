// Known devices: devices and addresses from which an account signed in. The owner is notified of a sign-in from another
// device, or from an address that is none of them; not of the account's first sign-in.
import { createHash } from 'node:crypto';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { AccountRow } from '../accounts/index.ts';
import { addressDigestOf, knownAddressLifetimeMs } from './known-addresses.ts';

const maxPerAccount = 50;

const deviceDigestOf = ({ id, tenant_id }: AccountRow, device: string): string =>
  createHash('sha256').update(`${tenant_id}:${id}:${device}`).digest('base64url').slice(0, 22);

/** Stores the device; returns whether it is new to an account that has others. */
export async function rememberDevice(
  tx: Tx,
  account: AccountRow,
  { device, address, now }: { readonly device: string; readonly address: string; readonly now: Time },
): Promise<boolean> {
  const device_digest = deviceDigestOf(account, device);
  const address_digest = addressDigestOf(account, address);
  const devices = await tx
    .selectFrom('known_device')
    .select(['device_digest', 'address_digest', 'seen_at'])
    .where('user_id', '=', account.id)
    .where('seen_at', '>', now - knownAddressLifetimeMs)
    .orderBy('seen_at', 'desc')
    .execute();
  const isKnown = [
    devices.some(one => one.device_digest === device_digest),
    devices.some(one => one.address_digest === address_digest),
  ].every(Boolean);
  await tx
    .insertInto('known_device')
    .values({ user_id: account.id, tenant_id: account.tenant_id, device_digest, address_digest, seen_at: now })
    .onConflict(conflict =>
      conflict.columns(['user_id', 'device_digest', 'address_digest']).doUpdateSet({ seen_at: now }),
    )
    .execute();
  const oldest = devices[maxPerAccount - 1]?.seen_at;
  if (oldest !== undefined)
    await tx.deleteFrom('known_device').where('user_id', '=', account.id).where('seen_at', '<', oldest).execute();
  return devices.length > 0 && !isKnown;
}
