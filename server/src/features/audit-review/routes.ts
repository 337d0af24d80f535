// Routes of the audit log.
import { Readable } from 'node:stream';
import * as figuresApi from '@recordproof/shared/api/audit-figures.ts';
import * as api from '@recordproof/shared/api/audit-review.ts';
import { toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import { type PlainAnswer, plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { findAnomalies, findHighFrequency } from './anomalies.ts';
import { backUpLogs } from './back-up-logs.ts';
import { findBackup, findPageOfBackups } from './backup-queries.ts';
import { countIfMany, dayMs } from './count-rows.ts';
import { exportLogs } from './export-logs.ts';
import { sumHours } from './figures.ts';
import { listLogs, listSensitive } from './list-logs.ts';
import { getOverview } from './overview.ts';
import { findRow, listFailures } from './queries.ts';
import { putConfig, readConfigs, readSettings } from './settings.ts';
import { toBackupView, toHourViews, toLinkedView } from './views.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'objects' | 'signing'>;
type Span = { readonly startTime?: string | undefined; readonly endTime?: string | undefined };

const mostErrors = 100;

/** Undefined if no times are given: the last `days` days. */
const toSpan = ({ clock }: Dependencies, { startTime, endTime }: Span, days: number) => {
  const to = endTime === undefined ? clock.now() : Date.parse(endTime);
  return { from: startTime === undefined ? to - days * dayMs : Date.parse(startTime), to };
};

async function listErrors(server: Dependencies, tenantId: Key, query: Span): Promise<figuresApi.AuditErrors[]> {
  const rows = await listFailures(server.database.db, tenantId, toSpan(server, query, 7), mostErrors);
  return rows.map(row => ({
    module: row.module,
    operationType: row.operation_type,
    errorMsg: row.error_msg ?? '',
    errorCount: row.count,
    lastTime: toIso(row.last_at),
  }));
}

async function openBackup({ database, objects }: Dependencies, tenantId: Key, id: Key): Promise<PlainAnswer> {
  const backup = await findBackup(database.db, tenantId, id);
  if (backup === null)
    throw new ApiError('RESULT_DATA_NONE', `there is no backup ${id} of the audit log: list the backups`);
  const { body } = await objects.get(backup.object_key);
  const name = `audit-${toWireId(backup.first_position)}-${toWireId(backup.last_position)}.ndjson.gz`;
  return {
    headers: {
      'content-type': 'application/gzip',
      'content-length': backup.file_size,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'private, no-store',
    },
    body: Readable.from(body),
  };
}

const figureRoutes = (server: Dependencies): Route[] => [
  route(figuresApi.getAuditOverview, ({ actor }) => getOverview(server, actor.tenantId)),
  route(figuresApi.listHighFrequency, async ({ actor, query }) => {
    const { db } = server.database;
    await countIfMany(server, actor.tenantId);
    const { highFrequency } = await readSettings(db, actor.tenantId);
    return findHighFrequency(db, actor.tenantId, toSpan(server, query, 1), highFrequency);
  }),
  route(figuresApi.listAuditErrors, ({ actor, query }) => listErrors(server, actor.tenantId, query)),
  route(figuresApi.getTimeDistribution, async ({ actor, query }) => {
    await countIfMany(server, actor.tenantId);
    const userId = query.userId === undefined ? null : toKey(query.userId);
    return toHourViews(await sumHours(server.database.db, actor.tenantId, toSpan(server, query, 30), userId));
  }),
  route(figuresApi.checkAnomalies, async ({ actor: { tenantId } }) => {
    const { db } = server.database;
    await countIfMany(server, tenantId);
    const settings = await readSettings(db, tenantId);
    const { isErrorRateHigh: _, ...found } = await findAnomalies(db, tenantId, settings, server.clock.now());
    return found;
  }),
];

export function auditReviewRoutes(server: Dependencies): Route[] {
  const { db } = server.database;
  return [
    ...figureRoutes(server),
    route(api.listAuditLogs, r => listLogs(server, r.actor.tenantId, r.query)),
    route(api.searchAuditLogs, r => listLogs(server, r.actor.tenantId, r.body)),
    route(api.listSensitiveOperations, r => listSensitive(server, r.actor.tenantId, r.body)),
    route(api.getAuditLog, async ({ actor, params }) => {
      const id = toKey(params.id);
      const row = await findRow(db, actor.tenantId, id);
      if (row === null) throw new ApiError('RESULT_DATA_NONE', `there is no audit log entry ${id}: list the audit log`);
      return toLinkedView(row);
    }),
    plainRoute(api.exportAuditLogs, r => exportLogs(server, r, r.body)),
    route(figuresApi.listAuditConfigs, ({ actor }) => readConfigs(db, actor.tenantId)),
    route(figuresApi.putAuditConfig, r => putConfig(server, r, r.body)),
    route(api.backUpAuditLogs, r => backUpLogs(server, r, r.body)),
    route(api.listAuditBackups, async ({ actor, query }) => {
      const { rows, total } = await findPageOfBackups(db, actor.tenantId, query);
      return toPage(rows.map(toBackupView), total, query);
    }),
    plainRoute(api.downloadAuditBackup, r => openBackup(server, r.actor.tenantId, toKey(r.params.id))),
  ];
}
