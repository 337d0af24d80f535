// `admin installation`: lists, grants and revokes installation administrators. One always remains.

import {
  changeInstallationAdmin,
  findAccountByEmail,
  findAccountByName,
  getDefaultTenant,
  listInstallationAdmins,
} from '../features/accounts/index.ts';
import { localCall } from '../platform/call.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/open-db.ts';
import type { Input } from './declared/local.ts';
import { openLocal, openToChange } from './local.ts';
import { answer, CommandRejected, UsageError } from './outcome.ts';

export async function installationAdmins({ values, configArgs }: Input<'grant' | 'revoke'>): Promise<number> {
  if (values.grant !== undefined && values.revoke !== undefined)
    throw new UsageError('pass either --grant or --revoke.');
  const name = values.grant ?? values.revoke;
  await using local = await (name === undefined ? openLocal : openToChange)(configArgs);
  const { database } = local;
  if (name !== undefined) await change(database, name, values.grant !== undefined);
  const all = await listInstallationAdmins(database.db);
  return answer(values.json, {
    json: { installationAdministrators: all.map(({ username, email }) => ({ username, email })) },
    text: all.map(({ username, email }) => `${username}\t${email}\n`).join(''),
  });
}

async function change(database: Database, name: string, isGranted: boolean): Promise<void> {
  const { db } = database;
  const tenantId = await getDefaultTenant(db);
  const account = name.includes('@') ? await findAccountByEmail(db, name) : await findAccountByName(db, tenantId, name);
  if (account?.tenant_id !== tenantId)
    throw new CommandRejected(`there is no account "${name}" in the default tenant.`);
  const call = localCall('admin installation', tenantId, systemClock.now());
  await changeInstallationAdmin({ database, clock: systemClock }, call, { accountId: account.id, isGranted });
}
