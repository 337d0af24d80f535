// Opens an account. Who may ask for it is the caller's business: a mail code, the set-up code, or the command line.
import type { Role } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { callAs, type Origin } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { newExternalId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { type AccountRow, insertAccount } from './queries.ts';

export type AccountRequest = {
  readonly tenantId: Key;
  readonly username: string;
  readonly email: string;
  readonly nickname?: string | undefined;
  readonly role: Role;
  /** Made before the transaction: hashing takes its time. */
  readonly passwordHash: string;
};

/** The account itself answers for its beginning. */
export async function createAccount(tx: Tx, origin: Origin, request: AccountRequest, now: Time): Promise<AccountRow> {
  const { tenantId, username, email, role, passwordHash, nickname } = request;
  const account = await insertAccount(
    tx,
    { tenantId, externalId: newExternalId(), username, email, role, passwordHash, nickname: nickname ?? null },
    now,
  );
  if (!account) throw new ApiError('USER_HAS_EXISTED');
  await recordAudit(
    tx,
    callAs(origin, { tenantId, userId: account.id, username }),
    now,
    'accounts.create',
    `account ${username} opened`,
    { username, role },
  );
  return account;
}
