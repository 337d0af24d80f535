// Resolving alerts on damaged objects once every byte of the file is verified again, with the cause: a repair, a later
// upload of the same bytes, or a manual change.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Resolution } from '@recordproof/shared/api/integrity.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { exponentialBackoff } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { recordAudit } from '../audit/index.ts';
import { type FileRow, fileIdOf, findFile, holderOf, listLiveFiles } from '../files/index.ts';
import { listCoHolders } from '../stored-objects/index.ts';
import { findProblems, openDamagedFile } from './heal-chunk.ts';
import { findDamaged, listOpenDamage, noteCheck, type OpenDamage, resolveObjectAlerts } from './queries.ts';

type ResolveContext = Pick<Server, 'database' | 'clock' | 'log' | 'objects'>;

export type AlertResolution = { readonly resolution: Resolution; readonly note: string };

/** All its alerts on objects at once; of concurrent calls one writes. */
export const resolveAlerts = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  file: FileRow,
  { resolution, note }: AlertResolution,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const { tenantId, userId: resolvedBy } = call.actor;
    const now = clock.now();
    const ended = await resolveObjectAlerts(tx, { tenantId, fileId: file.id }, { resolution, note, resolvedBy }, now);
    for (const alert of ended) {
      const param = { alertId: alert.id, fileId: file.id, alertType: alert.alert_type, resolution, note };
      const description = `integrity alert ${alert.id} resolved after repair: ${note}`;
      await recordAudit(tx, call, now, 'integrity.alert-healed', description, param);
    }
  });

const damagesPerPage = 200;
const sharersAtOnce = 100;
/** Their ids are stored in every alert of the file. */
const mostSharers = 10_000;
export const healCheckJobKind = 'integrity.look-for-healed';

/** Files stored since that share objects with damaged ones have rewritten these. */
export const healCheckJob = (server: ResolveContext): JobHandler => ({
  kind: healCheckJobKind,
  leaseSeconds: 120,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(5, 60),
  run: async ({ signal }) => {
    const { db } = server.database;
    for (const damage of await listOpenDamage(db, damagesPerPage)) {
      signal.throwIfAborted();
      const seen_sharers = await recheckDamage(server, damage, signal);
      await noteCheck(db, { ...damage, seen_sharers }, server.clock.now());
    }
  },
});

/** Returns the sharers that need not be checked again. */
async function recheckDamage(server: ResolveContext, damage: OpenDamage, signal: AbortSignal): Promise<string> {
  const { db } = server.database;
  const file = await findFile(db, damage.tenant_id, damage.file_id);
  if (file === null) return damage.seen_sharers;
  const sharers = await listSharers(db, file);
  const seen = new Set(damage.seen_sharers.split(','));
  const newer = sharers.find(({ id }) => !seen.has(String(id)));
  if (newer === undefined) return toSeen(sharers);
  const call = localCall('integrity', file.tenant_id, server.clock.now());
  const alertResolution = { resolution: 'UPLOADED_AGAIN', note: `file ${newer.id} brought the same bytes` } as const;
  const isRead = await resolveIfIntact(server, call, file, { alertResolution, signal });
  return isRead ? toSeen(sharers) : damage.seen_sharers;
}

const toSeen = (files: readonly FileRow[]): string => files.map(({ id }) => id).join(',');

export const listSeenSharers = async (db: Db, file: FileRow): Promise<string> => toSeen(await listSharers(db, file));

/** Live files that reference objects of this one. */
async function listSharers(db: Db, file: FileRow): Promise<FileRow[]> {
  const holder = { tenantId: file.tenant_id, holder: holderOf(file) };
  const sharers: FileRow[] = [];
  for (let after = ''; sharers.length < mostSharers; ) {
    const holders = await listCoHolders(db, holder, { after, limit: sharersAtOnce });
    sharers.push(...(await listLiveFiles(db, file.tenant_id, holders.flatMap(toFileId))));
    if (holders.length < sharersAtOnce) break;
    after = holders.at(-1) ?? '';
  }
  return sharers;
}

export const toFileId = (holder: string): Key[] => {
  const id = fileIdOf(holder);
  return id === null ? [] : [id];
};

type ResolveOptions = { readonly alertResolution: AlertResolution; readonly signal: AbortSignal };

/** Returns whether all of it could be read. */
async function resolveIfIntact(
  server: ResolveContext,
  call: Call<Party>,
  file: FileRow,
  { alertResolution, signal }: ResolveOptions,
): Promise<boolean> {
  try {
    const problems = await findProblems(server, await openDamagedFile(server, file), signal);
    if (problems.length === 0) await resolveAlerts(server, call, file, alertResolution);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    server.log.warn({ fileId: file.id, error: toErrorText(error) }, 'failed to recheck a damaged file');
    return error instanceof ApiError; // its manifest is damaged, which no upload repairs
  }
}

/** Resolves alerts of files that share objects with a repaired one. */
export async function resolveSharedAlerts(
  server: ResolveContext,
  call: Call<Party>,
  file: FileRow,
  options: ResolveOptions,
): Promise<void> {
  const { db } = server.database;
  const sharers = await listSharers(db, file);
  const ids = sharers.map(({ id }) => id);
  const damaged = await findDamaged(db, file.tenant_id, ids);
  for (const sharer of sharers) if (damaged.has(sharer.id)) await resolveIfIntact(server, call, sharer, options);
}
