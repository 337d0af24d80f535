// Open integrity alerts and their texts, shared by line output and dashboard.
import type { Client } from '@recordproof/shared/api/client.ts';
import { type IntegrityAlert, listIntegrityAlerts } from '@recordproof/shared/api/integrity.ts';
import { toMinute } from '../platform/output.ts';
import { alignRows } from '../platform/table.ts';

export type OpenAlerts = {
  readonly pending: number;
  readonly acknowledged: number;
  /** The newest alerts that are not resolved. */
  readonly alerts: readonly IntegrityAlert[];
};

const shown = '50';

/** In two queries, so that neither state hides the other. */
export const readOpenAlerts =
  (client: Client) =>
  async (signal: AbortSignal): Promise<OpenAlerts> => {
    const list = (status: 'PENDING' | 'ACKNOWLEDGED') =>
      client.call(listIntegrityAlerts, { query: { status, size: shown }, signal });
    const [pending, acknowledged] = [await list('PENDING'), await list('ACKNOWLEDGED')];
    const alerts = [...pending.records, ...acknowledged.records];
    return { pending: pending.total, acknowledged: acknowledged.total, alerts };
  };

export const countsText = ({ pending, acknowledged }: OpenAlerts): string =>
  pending + acknowledged === 0 ? 'no open alert' : `${pending} pending, ${acknowledged} acknowledged`;

const toRow = ({ id, alertType, status, fileName, createdAt }: IntegrityAlert): string[] => [
  id,
  toMinute(createdAt),
  alertType,
  status,
  fileName,
];

export const alertLines = (alerts: readonly IntegrityAlert[]): string[] =>
  alerts.length === 0 ? [] : alignRows(alerts.map(toRow)).split('\n');
