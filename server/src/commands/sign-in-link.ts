// `admin sign-in-link`: a one-time link by which an administrator signs in without provider or password.

import type { Config } from '../config/config.ts';
import { findAccountByEmail, findAccountByName, findTenant } from '../features/accounts/index.ts';
import { defaultTenantName } from '../features/auth/index.ts';
import { createSignInLink } from '../features/single-sign-on/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { toReachableUrl } from '../platform/http/networks.ts';
import type { Input } from './declared/local.ts';
import { openToChange } from './local.ts';
import { answer, CommandRejected, UsageError } from './outcome.ts';

const defaultMinutes = 15;
const maxMinutes = 60;

function toMinutes(text: string | undefined): number {
  const minutes = Number(text ?? defaultMinutes);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= maxMinutes) return minutes;
  throw new UsageError(`--minutes must be a whole number from 1 to ${maxMinutes}.`);
}

async function getAdministrator(db: Db, name: string, tenantName: string) {
  const tenant = await findTenant(db, tenantName);
  if (!tenant) throw new CommandRejected(`there is no tenant "${tenantName}"; "admin tenants" lists them.`);
  const account = name.includes('@')
    ? await findAccountByEmail(db, name)
    : await findAccountByName(db, tenant.id, name);
  if (account?.role !== 'admin' || account.status !== 'ACTIVE')
    throw new CommandRejected(`there is no active administrator "${name}"; only administrators get a sign-in link.`);
  return account;
}

const toBaseUrl = ({ publicUrl, host, port }: Config['http']): string => publicUrl ?? toReachableUrl(host, port);

export async function signInLink({ values, configArgs }: Input<'username' | 'tenant' | 'minutes'>): Promise<number> {
  if (!values.username) throw new UsageError('--username is missing.');
  const minutes = toMinutes(values.minutes);
  await using local = await openToChange(configArgs);
  const { db } = local.database;
  const account = await getAdministrator(db, values.username, values.tenant ?? defaultTenantName);
  const request = { account, baseUrl: toBaseUrl(local.config.http), minutes };
  const url = await db.transaction().execute(tx => createSignInLink(tx, request, systemClock.now()));
  return answer(values.json, {
    json: { username: account.username, url, minutes },
    text: `${url}\nsigns ${account.username} in once, within ${minutes} minutes; all administrators are told by mail\n`,
  });
}
