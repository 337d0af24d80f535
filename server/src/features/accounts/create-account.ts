// Account creation. The caller of `createAccount` checks the permission: a mail code, the set-up code, or the command
// line. Administrators create accounts of people, with an initial password, and service accounts.
import type {
  AccountKind,
  createServiceAccount as serviceContract,
  createUser as userContract,
} from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, callAs, type Origin } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { newExternalId, randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type AccountRow, foldName, insertAccount } from './queries.ts';
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
  const { tenantId, username, role, kind = 'person', nickname = null, isInstallationAdmin = false } = request;
  if (!(await lockActiveTenant(tx, tenantId)))
    throw new ApiError('CONFLICT', 'the tenant is suspended; ask an administrator to reactivate it first');
  const row = { ...request, externalId: newExternalId(), kind, nickname, isInstallationAdmin };
  const account = await insertAccount(tx, row, now);
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

/** For a person, with an initial password. */
export async function createUser(
  { database, clock, passwords }: Pick<Server, 'database' | 'clock' | 'passwords'>,
  call: Call,
  { password, ...fields }: BodyOf<typeof userContract>,
): Promise<AccountRow> {
  const { tenantId } = call.actor;
  const passwordHash = await passwords.hash(password, call.ip);
  const now = clock.now();
  return database.db.transaction().execute(async tx => {
    const account = await createAccount(tx, call, { ...fields, tenantId, passwordHash }, now);
    const { id: accountId, username, role } = account;
    await recordAudit(tx, call, now, 'accounts.create-user', `account ${username} created`, { accountId, role });
    return account;
  });
}

/** Programs use a service account with API tokens; it has no password, no address and no sign-in. */
export async function createServiceAccount(
  { database, clock, passwords }: Pick<Server, 'database' | 'clock' | 'passwords'>,
  call: Call,
  { username, role }: BodyOf<typeof serviceContract>,
): Promise<AccountRow> {
  const { tenantId } = call.actor;
  const passwordHash = await passwords.hash(randomBase62(64), call.ip);
  const email = `${tenantId}.${foldName(username)}@service`; // no mail address: those have another form
  const now = clock.now();
  return database.db.transaction().execute(async tx => {
    const request = { tenantId, username, email, role, kind: 'service', passwordHash } as const;
    const account = await createAccount(tx, call, request, now);
    const param = { accountId: account.id, role };
    await recordAudit(tx, call, now, 'accounts.create-service', `service account ${username} created`, param);
    return account;
  });
}
