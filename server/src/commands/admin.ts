// `admin`: accounts and tenants, managed on the server's machine. It asks for no login: read access to the
// data folder gives the same power.

import * as api from '@recordproof/shared/api/auth.ts';
import { z } from 'zod';
import {
  type AccountRow,
  countInstallationAdmins,
  createAccount,
  findAccountByEmail,
  findAccountByName,
  findTenant,
} from '../features/accounts/index.ts';
import { recordAudit } from '../features/audit/index.ts';
import {
  addKnownAddress,
  defaultTenantName,
  endSetup,
  ensureDefaultTenant,
  setPassword,
  unlockAccount,
} from '../features/auth/index.ts';
import { resetFactors } from '../features/factors/index.ts';
import { localCall, localOrigin } from '../platform/call.ts';
import { systemClock } from '../platform/clock.ts';
import { hashPassword } from '../platform/crypto/password-text.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Input } from './declared/local.ts';
import { openOrMakeLocal, openToChange } from './local.ts';
import { answer, CommandRejected, UsageError } from './outcome.ts';
import { readNewSecret } from './secret.ts';

const ipAddress = z.union([z.ipv4(), z.ipv6()], 'must be an IPv4 or IPv6 address');

function checked<S extends z.ZodType>(schema: S, value: unknown, name: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  if (value === undefined) throw new UsageError(`${name} is missing; "admin COMMAND --help" lists the flags.`);
  throw new UsageError(`${name} ${result.error.issues[0]?.message ?? 'is not valid'}.`);
}

/** New password from a pipe or the terminal. `mustBePiped` (--password-stdin) rejects a terminal. */
function newPassword(mustBePiped: boolean | undefined): Promise<string> {
  if (mustBePiped && process.stdin.isTTY)
    throw new UsageError('--password-stdin reads a pipe, but standard input is the terminal.');
  return readNewSecret(secret => checked(api.password, secret, 'the password'));
}

async function getTenant(db: Db, name: string): Promise<number> {
  const tenant = await findTenant(db, name);
  if (!tenant) throw new CommandRejected(`there is no tenant "${name}"; make it with: admin tenants --create ${name}`);
  return tenant.id;
}

export async function create({
  values,
  configArgs,
}: Input<'username' | 'email' | 'nickname' | 'role' | 'tenant', 'password-stdin' | 'new'>): Promise<number> {
  const username = checked(api.username, values.username, '--username');
  const email = checked(api.email, values.email, '--email');
  const nickname = checked(api.nickname.optional(), values.nickname, '--nickname');
  const role = checked(api.roleName, values.role ?? 'admin', '--role');
  const passwordHash = await hashPassword(await newPassword(values['password-stdin']));
  await using local = await openOrMakeLocal(configArgs, values.new);
  const { database } = local;
  await ensureDefaultTenant({ database, clock: systemClock });
  const tenantName = values.tenant ?? defaultTenantName;
  const tenantId = await getTenant(database.db, tenantName);
  const now = systemClock.now();
  const origin = localOrigin('admin create', now);
  await database.db.transaction().execute(async tx => {
    const isFirst = role === 'admin' && tenantName === defaultTenantName && (await countInstallationAdmins(tx)) === 0;
    const account = { tenantId, username, email, nickname, role, passwordHash, isInstallationAdmin: isFirst };
    await createAccount(tx, origin, account, now);
    await endSetup(tx);
  });
  const login = tenantName === defaultTenantName ? username : `${tenantName}/${username}`;
  return answer(values.json, {
    json: { username, email, role, tenant: tenantName, login },
    text: `${role} ${username} created; signs in as ${login}, or as ${email}\n`,
  });
}

const findByName = async (db: Db, tenantName: string, name: string): Promise<AccountRow | null> =>
  name.includes('@') ? findAccountByEmail(db, name) : findAccountByName(db, await getTenant(db, tenantName), name);

const required = (value: string | undefined, name: string): string => {
  if (!value) throw new UsageError(`${name} is missing; "admin COMMAND --help" lists the flags.`);
  return value;
};

async function getAccount(db: Db, username: string, tenant: string | undefined): Promise<AccountRow> {
  const account = await findByName(db, tenant ?? defaultTenantName, username);
  if (!account) throw new CommandRejected(`there is no account "${username}"; check --username and --tenant.`);
  return account;
}

export async function changePassword({
  values,
  configArgs,
}: Input<'username' | 'tenant', 'password-stdin'>): Promise<number> {
  const username = required(values.username, '--username');
  await using local = await openToChange(configArgs);
  const { db } = local.database;
  const account = await getAccount(db, username, values.tenant);
  const passwordHash = await hashPassword(await newPassword(values['password-stdin']));
  const now = systemClock.now();
  const call = localCall('admin password', account.tenant_id, now);
  await db.transaction().execute(async tx => {
    await setPassword(tx, account, passwordHash, now);
    await recordAudit(tx, call, now, 'auth.set-password', `password of ${account.username} set on the server`);
  });
  return answer(values.json, {
    json: { username: account.username, changed: 'password' },
    text: `password of ${account.username} changed; its sessions have ended\n`,
  });
}

/** With an address, that address becomes known for the account: failed sign-ins from elsewhere no longer lock it out. */
export async function unlock({ values, configArgs }: Input<'username' | 'tenant' | 'address'>): Promise<number> {
  const address = checked(ipAddress.optional(), values.address, '--address');
  const username = required(values.username, '--username');
  await using local = await openToChange(configArgs);
  const { db } = local.database;
  const account = await getAccount(db, username, values.tenant);
  const now = systemClock.now();
  const call = localCall('admin unlock', account.tenant_id, now);
  await db.transaction().execute(async tx => {
    await unlockAccount(tx, account);
    if (address !== undefined) await addKnownAddress(tx, account, address, now);
    await recordAudit(tx, call, now, 'auth.unlock', `locks of ${account.username} ended on the server`, { address });
  });
  const note = address === undefined ? '' : `; failed sign-ins from other addresses do not lock out ${address}`;
  return answer(values.json, {
    json: { username: account.username, unlocked: true, knownAddress: address ?? null },
    text: `${account.username} is unlocked${note}\n`,
  });
}

/** For an administrator who has lost the last factor and every recovery code. */
export async function removeFactors({ values, configArgs }: Input<'username' | 'tenant'>): Promise<number> {
  const username = required(values.username, '--username');
  await using local = await openToChange(configArgs);
  const { db } = local.database;
  const account = await getAccount(db, username, values.tenant);
  const now = systemClock.now();
  const call = localCall('admin reset-factors', account.tenant_id, now);
  await db.transaction().execute(tx => resetFactors(tx, call, account, 'on the server', now));
  return answer(values.json, {
    json: { username: account.username, reset: 'factors' },
    text: `${account.username} signs in with the password alone; its sessions have ended\n`,
  });
}
