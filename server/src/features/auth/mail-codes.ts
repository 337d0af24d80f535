// Six-digit mail codes that prove an address: three minutes, five attempts, single use, stored as digests.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { MailCodeType } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { deleteMailCode, tryMailCode } from './queries.ts';

export const mailCodeLifetimeMs = 3 * 60_000;
export const mailCodeTries = 5;

export const digestMailCode = (pepper: KeyObject, email: string, type: MailCodeType, code: string): string =>
  createHmac('sha256', pepper).update(`mail code\n${type}\n${email}\n${code}`).digest('base64url');

type Claim = { readonly email: string; readonly type: MailCodeType; readonly code: string };

/**
 * Does the work that the code authorizes. A wrong code uses up an attempt; if the work itself is rejected (a taken user
 * name, for example), the code stays valid.
 */
export async function withMailCode<T>(
  { database, keys, clock }: Pick<Server, 'database' | 'keys' | 'clock'>,
  claim: Claim,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const outcome = await database.db.transaction().execute(async tx => {
    if (!(await redeem(tx, keys.pepper, claim, clock.now()))) return { redeemed: false as const };
    return { redeemed: true as const, value: await work(tx) };
  });
  if (!outcome.redeemed) throw new ApiError('AUTH_CODE_ERROR');
  return outcome.value;
}

async function redeem(tx: Tx, pepper: KeyObject, { email, type, code }: Claim, now: number): Promise<boolean> {
  const row = await tryMailCode(tx, email, type, now);
  if (!row?.code_digest) return false;
  const matches = timingSafeEqual(Buffer.from(row.code_digest), Buffer.from(digestMailCode(pepper, email, type, code)));
  if (matches) await deleteMailCode(tx, row.id);
  return matches;
}
