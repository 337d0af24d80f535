// The first administrator: by a set-up code printed at server start, or from the configuration.
import { createHmac, type KeyObject } from 'node:crypto';
import type { setUp as contract } from '@recordproof/shared/api/auth.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Origin } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Platform } from '../../platform/server.ts';
import {
  type AccountRequest,
  type AccountRow,
  countActiveAdmins,
  createAccount,
  findTenant,
  getDefaultTenant,
  insertTenant,
} from '../accounts/index.ts';
import { addSetupCode, deleteSetupCodes, isSetupCode } from './queries.ts';

type Dependencies = Pick<Platform, 'database' | 'clock' | 'passwords' | 'keys'>;

export const defaultTenantName = 'default';
const setupLock = 'first-administrator';

const digestOf = (pepper: KeyObject, code: string): string =>
  createHmac('sha256', pepper).update(`set-up code\n${code}`).digest('base64url');

/** Every server starts with one tenant. */
export async function ensureDefaultTenant({ database, clock }: Pick<Platform, 'database' | 'clock'>): Promise<void> {
  await database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, 'default-tenant');
    if (!(await findTenant(tx, defaultTenantName))) await insertTenant(tx, defaultTenantName, clock.now());
  });
}

/** Several servers may start on one database, each with a code; a restart loop must not accumulate them. */
const liveCodes = 10;

/**
 * Returns a new set-up code while there is no administrator; null once there is one, and then all codes are deleted.
 */
export async function addFreshSetupCode({
  database,
  clock,
  keys,
}: Omit<Dependencies, 'passwords'>): Promise<string | null> {
  return database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, setupLock);
    if ((await countActiveAdmins(tx, await getDefaultTenant(tx))) > 0) {
      await deleteSetupCodes(tx);
      return null;
    }
    const code = randomBase62(20);
    await addSetupCode(tx, digestOf(keys.pepper, code), clock.now(), liveCodes);
    return code;
  });
}

/** Called after an account is created without a code: it may be the first administrator. */
export async function endSetup(tx: Tx): Promise<void> {
  if ((await countActiveAdmins(tx, await getDefaultTenant(tx))) > 0) await deleteSetupCodes(tx);
}

export async function hasAdministrator({ db }: Pick<Database, 'db'>): Promise<boolean> {
  return (await countActiveAdmins(db, await getDefaultTenant(db))) > 0;
}

type FirstAdmin = Pick<AccountRequest, 'username' | 'email' | 'nickname'> & { readonly password: string };

async function createFirstAdmin(
  { database, clock, passwords }: Dependencies,
  origin: Origin,
  admin: FirstAdmin & { readonly codeDigest: string | null },
): Promise<AccountRow | null> {
  const passwordHash = await passwords.hash(admin.password, origin.ip);
  const { username, email, nickname, codeDigest } = admin;
  return database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, setupLock);
    const tenantId = await getDefaultTenant(tx);
    if ((await countActiveAdmins(tx, tenantId)) > 0) return null;
    if (codeDigest !== null && !(await isSetupCode(tx, codeDigest)))
      throw new ApiError('AUTH_CODE_ERROR', 'the set-up code is wrong');
    await deleteSetupCodes(tx);
    const account = {
      tenantId,
      username,
      email,
      nickname,
      role: 'admin',
      passwordHash,
      isInstallationAdmin: true,
    } as const;
    return createAccount(tx, origin, account, clock.now());
  });
}

export async function setUp(server: Dependencies, origin: Origin, body: BodyOf<typeof contract>): Promise<AccountRow> {
  const codeDigest = digestOf(server.keys.pepper, body.setupCode);
  const account = await createFirstAdmin(server, origin, { ...body, codeDigest });
  if (!account) throw new ApiError('CONFLICT', 'this server already has an administrator');
  return account;
}

/** From the configuration, once; does nothing if there is an administrator. */
export async function ensureConfiguredAdmin(server: Dependencies, origin: Origin, admin: FirstAdmin): Promise<void> {
  if (await hasAdministrator(server.database)) return; // before hashing a password needlessly at every start
  await createFirstAdmin(server, origin, { ...admin, codeDigest: null });
}
