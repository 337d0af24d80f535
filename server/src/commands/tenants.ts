// `admin tenants`: lists, creates, suspends, reactivates and deletes tenants on the machine the server runs on.

import * as api from '@recordproof/shared/api/auth.ts';
import { createTenant, findTenant, getDefaultTenant, listTenants, type TenantRow } from '../features/accounts/index.ts';
import { ensureDefaultTenant } from '../features/auth/index.ts';
import { changeStatus, deleteTenant } from '../features/tenants/index.ts';
import { localCall, localOrigin } from '../platform/call.ts';
import { systemClock } from '../platform/clock.ts';
import { lockInTransaction } from '../platform/db/lock.ts';
import type { Database } from '../platform/db/open-db.ts';
import type { Input } from './declared/local.ts';
import { openLocal, openOrMakeLocal, openToChange } from './local.ts';
import { answer, CommandRejected, UsageError } from './outcome.ts';

const acts = ['create', 'suspend', 'reactivate', 'delete'] as const;

export async function tenants({
  values,
  configArgs,
}: Input<'create' | 'suspend' | 'reactivate' | 'delete' | 'confirm' | 'reason', 'new'>): Promise<number> {
  const requestedActs = acts.filter(act => values[act] !== undefined);
  if (requestedActs.length > 1)
    throw new UsageError(`pass either ${requestedActs.map(act => `--${act}`).join(' or ')}.`);
  if (values.new && values.create === undefined) throw new UsageError('--new requires --create.');
  const open = requestedActs.length === 0 ? openLocal : openToChange;
  await using local =
    values.create === undefined ? await open(configArgs) : await openOrMakeLocal(configArgs, values.new);
  const { database } = local;
  const { reason } = values;
  if (values.create !== undefined) await create(database, values.create);
  if (values.suspend !== undefined) await change(database, values.suspend, { status: 'SUSPENDED', reason });
  if (values.reactivate !== undefined) await change(database, values.reactivate, { status: 'ACTIVE', reason });
  if (values.delete !== undefined) await remove(database, values.delete, { confirm: values.confirm, reason });
  const all = await listTenants(database.db);
  return answer(values.json, {
    json: { tenants: all.map(({ id, name, status }) => ({ id: String(id), name, status })) },
    text: all.map(toLine).join(''),
  });
}

const toLine = ({ id, name, status }: TenantRow): string =>
  `${id}\t${name}${status === 'ACTIVE' ? '' : `\t${status.toLowerCase()}`}\n`;

async function create(database: Database, input: string): Promise<void> {
  const parsed = api.tenantName.safeParse(input);
  if (!parsed.success) throw new UsageError(`--create ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
  await ensureDefaultTenant({ database, clock: systemClock });
  const now = systemClock.now();
  const made = await database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, 'tenants');
    return createTenant(tx, localOrigin('admin tenants', now), parsed.data, now);
  });
  if (made === null) throw new CommandRejected(`there is a tenant "${input}" already.`);
}

async function getNamed({ db }: Database, name: string): Promise<TenantRow> {
  const tenant = await findTenant(db, name);
  if (tenant === null) throw new CommandRejected(`there is no tenant "${name}"; "admin tenants" lists them.`);
  return tenant;
}

const callOf = async ({ db }: Database) => localCall('admin tenants', await getDefaultTenant(db), systemClock.now());

async function change(
  database: Database,
  name: string,
  { status, reason }: { readonly status: 'ACTIVE' | 'SUSPENDED'; readonly reason: string | undefined },
): Promise<void> {
  const { id: tenantId } = await getNamed(database, name);
  const call = await callOf(database);
  await changeStatus({ database, clock: systemClock }, call, { tenantId, status, reason });
}

async function remove(
  database: Database,
  name: string,
  { confirm, reason }: { readonly confirm: string | undefined; readonly reason: string | undefined },
): Promise<void> {
  const { id: tenantId } = await getNamed(database, name);
  if (confirm === undefined)
    throw new UsageError(`this deletes every account and file of "${name}" for good: add --confirm ${name}.`);
  const call = await callOf(database);
  await deleteTenant({ database, clock: systemClock }, call, { tenantId, name: confirm, reason });
}
