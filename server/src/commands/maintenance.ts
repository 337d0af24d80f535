// `admin maintenance`: switches maintenance mode of all servers of the installation, or shows it.

import { maintenanceMessage } from '@recordproof/shared/api/maintenance.ts';
import { getDefaultTenant } from '../features/accounts/index.ts';
import { findMaintenance, setMaintenance } from '../features/maintenance/index.ts';
import { localCall } from '../platform/call.ts';
import { systemClock, toIso } from '../platform/clock.ts';
import type { Input } from './declared/local.ts';
import { openLocal, openToChange } from './local.ts';
import { answer, UsageError } from './outcome.ts';

export async function maintenance({ values, configArgs }: Input<'on', 'off'>): Promise<number> {
  if (values.on !== undefined && values.off) throw new UsageError('pass either --on or --off.');
  const message = maintenanceMessage.optional().safeParse(values.on);
  if (!message.success) throw new UsageError('--on takes a message of 1 to 500 characters for the users.');
  const isChange = message.data !== undefined || values.off === true;
  await using local = await (isChange ? openToChange : openLocal)(configArgs);
  const { database } = local;
  if (isChange) {
    const call = localCall('admin maintenance', await getDefaultTenant(database.db), systemClock.now());
    const change =
      message.data === undefined ? ({ isOn: false } as const) : { isOn: true as const, message: message.data };
    await setMaintenance({ database, clock: systemClock }, call, change);
  }
  const row = await findMaintenance(database.db);
  return answer(values.json, {
    json: { isOn: row !== null, message: row?.message ?? null, since: row && toIso(row.since) },
    text: row === null ? 'maintenance is off\n' : `maintenance is on since ${toIso(row.since)}: ${row.message}\n`,
  });
}
