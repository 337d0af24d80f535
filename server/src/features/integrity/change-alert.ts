// Handling of alerts by staff: acknowledge and resolve.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { AlertStatus } from '@recordproof/shared/api/integrity.ts';
import type { Call } from '../../platform/call.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type AlertRow, findAlert, moveAlert } from './queries.ts';

export const noSuchAlert = (id: Key) =>
  new ApiError('RESULT_DATA_NONE', `there is no integrity alert ${id}: list the alerts to see their ids`);

type Changing = Pick<Server, 'database' | 'clock'>;

type Change = {
  readonly operation: 'acknowledge' | 'resolve';
  readonly from: readonly AlertStatus[];
  readonly set: (now: Time) => Partial<AlertRow>;
};

export const acknowledgeAlert = (server: Changing, call: Call, id: Key): Promise<AlertRow> =>
  change(server, call, id, {
    operation: 'acknowledge',
    from: ['PENDING'],
    set: now => ({ status: 'ACKNOWLEDGED', acknowledged_by: call.actor.userId, acknowledged_at: now }),
  });

export const resolveAlert = (
  server: Changing,
  call: Call,
  { id, note }: { readonly id: Key; readonly note: string },
): Promise<AlertRow> =>
  change(server, call, id, {
    operation: 'resolve',
    from: ['PENDING', 'ACKNOWLEDGED'],
    set: now => ({
      status: 'RESOLVED',
      resolution: 'MANUAL',
      note: note === '' ? null : note,
      resolved_by: call.actor.userId,
      resolved_at: now,
    }),
  });

const change = ({ database, clock }: Changing, call: Call, id: Key, { operation, from, set }: Change) =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    const now = clock.now();
    const moved = await moveAlert(tx, tenantId, id, { from, set: { ...set(now), updated_at: now } });
    if (moved === null) {
      const alert = await findAlert(tx, tenantId, id);
      if (alert === null) throw noSuchAlert(id);
      throw new ApiError('CONFLICT', `alert ${id} is ${alert.status} and cannot be ${operation}d`);
    }
    await recordAudit(tx, call, now, `integrity.${operation}-alert`, `integrity alert ${id}: ${operation}d`, {
      alertId: id,
      fileId: moved.file_id,
      alertType: moved.alert_type,
      ...(moved.note && { note: moved.note }),
    });
    return moved;
  });
