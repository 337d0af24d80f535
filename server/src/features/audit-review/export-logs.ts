// Spreadsheet export of the log, page by page. The export itself is an audit row.
import type { exportAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import type { Call } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { PlainAnswer } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { type AuditLogRow, findAuditHead, recordAudit } from '../audit/index.ts';
import { findLogs } from './list-logs.ts';
import { type Cell, writeXlsx, xlsxType } from './xlsx.ts';

const mostRows = 10_000;
const rowsAtOnce = 2000;
const sort = 'operationTime,desc';

const columns: Readonly<Record<string, (row: AuditLogRow) => Cell>> = {
  id: row => row.id,
  operationTime: row => toIso(row.operation_time),
  username: row => row.username,
  userId: row => row.user_id,
  module: row => row.module,
  operationType: row => row.operation_type,
  description: row => row.description,
  status: row => (row.status === 0 ? 'ok' : 'error'),
  errorMsg: row => row.error_msg,
  requestIp: row => row.request_ip,
  requestMethod: row => row.request_method,
  requestUrl: row => row.request_url,
  requestParam: row => row.request_param,
  method: row => row.method,
  executionTime: row => row.execution_time,
  repeated: row => row.repeated,
  position: row => row.position,
  hash: row => row.hash,
};

type Filter = BodyOf<typeof exportAuditLogs>;

type ExportRange = { readonly tenantId: number; readonly filter: Filter; readonly last: number };

/**
 * Rows added meanwhile shift others onto the next page: each is written once, and none newer than the last row at the
 * start.
 */
async function* readPages(server: Pick<Server, 'database'>, { tenantId, filter, last }: ExportRange) {
  const written = new Set<number>();
  for (let page = 1; written.size < mostRows; page += 1) {
    const { rows } = await findLogs(server, tenantId, filter, { page, size: rowsAtOnce, sort });
    const fresh = rows.filter(({ id, position }) => position <= last && !written.has(id));
    const shown = fresh.slice(0, mostRows - written.size);
    for (const { id } of shown) written.add(id);
    yield shown.map(row => Object.values(columns).map(toCell => toCell(row)));
    if (rows.length < rowsAtOnce) return;
  }
}

export async function exportLogs(
  server: Pick<Server, 'database' | 'clock'>,
  call: Call,
  filter: Filter,
): Promise<PlainAnswer> {
  const { database, clock } = server;
  const { tenantId } = call.actor;
  const now = clock.now();
  const { position: last } = await findAuditHead(database.db, tenantId);
  const { total } = await findLogs(server, tenantId, filter, { page: 1, size: 1, sort });
  const description = `${Math.min(total, mostRows)} of ${total} rows of the audit log exported`;
  await database.db.transaction().execute(tx => recordAudit(tx, call, now, 'audit.export', description, { ...filter }));
  return {
    headers: {
      'content-type': xlsxType,
      'content-disposition': `attachment; filename="audit-${toIso(now).slice(0, 10)}.xlsx"`,
      'cache-control': 'private, no-store',
      'x-audit-rows': total,
    },
    body: writeXlsx({
      name: 'audit',
      heading: Object.keys(columns),
      pages: readPages(server, { tenantId, filter, last }),
      madeAt: new Date(now),
    }),
  };
}
