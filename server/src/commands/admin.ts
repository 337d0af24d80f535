// Accounts and tenants from the command line of the machine the server runs on. No network, no login: whoever can read
// the data folder could do it anyway.
import * as api from '@recordproof/shared/api/auth.ts';
import type { z } from 'zod';
import {
  type AccountRow,
  createAccount,
  createTenant,
  findAccountByEmail,
  findAccountByName,
  findTenant,
  listTenants,
} from '../features/accounts/index.ts';
import { appendAudit } from '../features/audit/index.ts';
import { defaultTenantName, endSetup, ensureDefaultTenant, setPassword } from '../features/auth/index.ts';
import { localCall, localOrigin } from '../platform/call.ts';
import { systemClock } from '../platform/clock.ts';
import { hashPassword } from '../platform/crypto/password-hash.ts';
import { lockInTransaction } from '../platform/db/lock.ts';
import type { Db } from '../platform/db/tables.ts';
import { UsageError } from './exit.ts';
import { openLocal, openOrMakeLocal, parseLocalArgs } from './local.ts';
import { readNewSecret } from './secret.ts';

const piped = 'password-stdin';

const actions = new Map(Object.entries({ create, password: changePassword, tenants }));

export async function admin([action, ...args]: readonly string[]): Promise<number> {
  const act = actions.get(action ?? '');
  if (!act) throw new UsageError('say what to do: admin create, admin password, or admin tenants.');
  return act(args);
}

function checked<S extends z.ZodType>(schema: S, value: unknown, name: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  if (value === undefined) throw new UsageError(`${name} is missing.`);
  throw new UsageError(`${name} ${result.error.issues[0]?.message ?? 'is not valid'}.`);
}

/** Piped or typed, as it comes; the switch is for those who know it from the CLI, and holds it to a pipe. */
function newPassword(mustBePiped: boolean | undefined): Promise<string> {
  if (mustBePiped && process.stdin.isTTY)
    throw new UsageError('--password-stdin reads a pipe, but standard input is the terminal.');
  return readNewSecret(secret => checked(api.password, secret, 'the password'));
}

async function getTenant(db: Db, name: string): Promise<number> {
  const tenant = await findTenant(db, name);
  if (!tenant) throw new UsageError(`there is no tenant "${name}"; make it with: admin tenants --create ${name}`);
  return tenant.id;
}

async function create(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(args, ['username', 'email', 'nickname', 'role', 'tenant'], [piped]);
  const username = checked(api.username, values.username, '--username');
  const email = checked(api.email, values.email, '--email');
  const nickname = checked(api.nickname.optional(), values.nickname, '--nickname');
  const role = checked(api.roleName, values.role ?? 'admin', '--role');
  const passwordHash = await hashPassword(await newPassword(values[piped]));
  await using local = await openOrMakeLocal(configArgs);
  const { database } = local;
  await ensureDefaultTenant({ database, clock: systemClock });
  const tenantName = values.tenant ?? defaultTenantName;
  const tenantId = await getTenant(database.db, tenantName);
  const now = systemClock.now();
  const origin = localOrigin('admin create', now);
  await database.db.transaction().execute(async tx => {
    await createAccount(tx, origin, { tenantId, username, email, nickname, role, passwordHash }, now);
    await endSetup(tx);
  });
  const login = tenantName === defaultTenantName ? username : `${tenantName}/${username}`;
  process.stdout.write(`${role} ${username} created; logs in as ${login}, or as ${email}\n`);
  return 0;
}

const findByName = async (db: Db, tenantName: string, name: string): Promise<AccountRow | null> =>
  name.includes('@') ? findAccountByEmail(db, name) : findAccountByName(db, await getTenant(db, tenantName), name);

async function changePassword(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(args, ['username', 'tenant'], [piped]);
  if (!values.username) throw new UsageError('--username is missing.');
  await using local = await openLocal(configArgs);
  const { db } = local.database;
  const account = await findByName(db, values.tenant ?? defaultTenantName, values.username);
  if (!account) throw new UsageError(`there is no account "${values.username}".`);
  const passwordHash = await hashPassword(await newPassword(values[piped]));
  const now = systemClock.now();
  await db.transaction().execute(async tx => {
    await setPassword(tx, account, passwordHash, now);
    const entry = {
      module: 'auth',
      operation: 'set-password',
      description: `password of ${account.username} set on the server`,
    };
    await appendAudit(tx, localCall('admin password', account.tenant_id, now), entry, now);
  });
  process.stdout.write(`password of ${account.username} changed; its sessions have ended\n`);
  return 0;
}

async function tenants(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(args, ['create'], []);
  await using local = await (values.create === undefined ? openLocal : openOrMakeLocal)(configArgs);
  const { database } = local;
  if (values.create !== undefined) {
    await ensureDefaultTenant({ database, clock: systemClock });
    const name = checked(api.tenantName, values.create, '--create');
    const now = systemClock.now();
    const made = await database.db.transaction().execute(async tx => {
      await lockInTransaction(tx, database.kind, 'tenants');
      return createTenant(tx, localOrigin('admin tenants', now), name, now);
    });
    if (made === null) throw new UsageError(`there is a tenant "${name}" already.`);
  }
  for (const tenant of await listTenants(database.db)) process.stdout.write(`${tenant.id}\t${tenant.name}\n`);
  return 0;
}
