// Session creation after authentication of any kind: row, token, and a notice to the owner if the device or its address
// is new.
import type { Origin } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Request } from '../../platform/http/route.ts';
import { newTokenId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { emit } from '../../platform/outbox/outbox.ts';
import type { Server } from '../../platform/server.ts';
import type { AccountRow } from '../accounts/index.ts';
import { toDevice } from './device.ts';
import { rememberDevice } from './known-addresses.ts';
import { newDeviceMailKind } from './send-notice.ts';
import { addSession } from './session-queries.ts';
import type { Session } from './tokens.ts';

/** Payload `{userId, device, address}`: a sign-in from a device that is new to the account. */
export const signedInFromNewDevice = 'sign-in.new-device';

/** The origin of a sign-in. */
export type SignInRequest = Origin & Pick<Request, 'headers'>;

type Starting = {
  readonly tokenId?: string;
  /** When the factor was given, if before now. */
  readonly authenticatedAt?: Time;
  /** Whether an identity provider authenticated the person. */
  readonly isByProvider?: boolean;
  /** Runs in the transaction that creates the session. */
  readonly note?: (tx: Tx, tokenId: string, now: Time) => Promise<void>;
};

export async function startSession(
  { database, clock, tokens }: Pick<Server, 'database' | 'clock' | 'tokens'>,
  { ip, headers, language }: SignInRequest,
  account: AccountRow,
  { tokenId = newTokenId(), isByProvider = false, note, ...starting }: Starting = {},
): Promise<Session> {
  const now = clock.now();
  const authenticatedAt = Math.min(now, starting.authenticatedAt ?? now);
  const device = toDevice(headers['user-agent']);
  await database.db.transaction().execute(async tx => {
    const expiresAt = now + tokens.lifetimeSeconds * 1000;
    await addSession(tx, account, {
      tokenId,
      expiresAt,
      address: ip,
      usedAt: now,
      authenticatedAt,
      headers,
      isByProvider,
    });
    await note?.(tx, tokenId, now);
    if (!(await rememberDevice(tx, account, { device, address: ip, now }))) return;
    const payload = { userId: account.id, device, address: ip };
    await emit(tx, { type: signedInFromNewDevice, tenantId: account.tenant_id, payload }, now);
    const mailPayload = { address: account.email, device, ip, at: now, language };
    await enqueue(tx, { kind: newDeviceMailKind, payload: mailPayload }, now);
  });
  return tokens.issue(account, { tokenId, authenticatedAt });
}
