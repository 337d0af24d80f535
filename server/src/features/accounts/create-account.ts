// Account creation. The caller checks the permission: a mail code, the set-up code, or the command line.
import type { AccountKind } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { callAs, type Origin } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { newExternalId } from '../../platform/ids.ts';
import { recordAudit } from '../audit/index.ts';
import { type AccountRow, insertAccount } from './queries.ts';
import { lockActiveTenant } from './tenant-queries.ts';

export type AccountRequest = {
  readonly tenantId: Key;
  readonly username: string;
  readonly email: string;
  readonly nickname?: string | undefined;
  readonly role: Role;
  /** Default: person. */
  readonly kind?: AccountKind;
  /** Whether it manages the installation, besides its role. Default: no. */
  readonly isInstallationAdmin?: boolean;
  /** Hashed before the transaction, because hashing is slow. */
  readonly passwordHash: string;
};

/** The new account itself is the actor of its first audit row. */
export async function createAccount(tx: Tx, origin: Origin, request: AccountRequest, now: Time): Promise<AccountRow> {
  const {
    tenantId,
    username,
    email,
    role,
    kind = 'person',
    passwordHash,
    nickname,
    isInstallationAdmin = false,
  } = request;
  if (!(await lockActiveTenant(tx, tenantId)))
    throw new ApiError('CONFLICT', 'the tenant is suspended: no account can be opened in it');
  const account = await insertAccount(
    tx,
    {
      tenantId,
      externalId: newExternalId(),
      username,
      email,
      role,
      kind,
      passwordHash,
      nickname: nickname ?? null,
      isInstallationAdmin,
    },
    now,
  );
  if (!account) throw new ApiError('USER_HAS_EXISTED');
  await recordAudit(
    tx,
    callAs(origin, { tenantId, userId: account.id, username }),
    now,
    'accounts.create',
    `account ${username} opened`,
    { username, role, ...(isInstallationAdmin && { isInstallationAdmin }) },
  );
  return account;
}
