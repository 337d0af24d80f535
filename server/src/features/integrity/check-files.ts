// Integrity checks: examines the live files of a tenant, or one file, at one level, and raises alerts. One check per
// tenant at a time, across servers. Few files are in memory at once.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { CheckLevel } from '@recordproof/shared/api/integrity.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toKey } from '../../platform/ids.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { findLockEnd, withLease } from '../../platform/lock.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { recordAudit } from '../audit/index.ts';
import { openStoredKey, toOwner } from '../envelopes/index.ts';
import { type FileRow, findFile, isLive, listLiveFileIds, listLiveFiles } from '../files/index.ts';
import { type Examines, examineFile, readSubjects, type Subject } from './examine-file.ts';
import type { Finding } from './findings.ts';
import { raiseAlert } from './raise-alert.ts';

export type Checking = Pick<Server, 'database' | 'clock' | 'log' | 'config' | 'records' | 'keyProviders' | 'hooks'> &
  Pick<Examines, 'objects'>;

const toExamines = ({ records, objects, config, keyProviders, hooks }: Checking): Examines => ({
  records,
  objects,
  config,
  openKey: (file, envelope) => openStoredKey(keyProviders, file, toOwner(file), envelope),
  checkProof: async file => (await hooks.of('checkProof')[0]?.(file)) ?? 'none',
});

type Tally = { totalChecked: number; mismatchesFound: number; errorsEncountered: number };
type CheckResult = Readonly<Tally> & { readonly level: CheckLevel };

type Input = {
  readonly level: CheckLevel;
  /** The fraction of files to examine. */
  readonly sampleRate: number;
  readonly signal: AbortSignal;
};

/** Files whose manifests are in memory at once. */
const examinedAtOnce = 32;
const idsAtOnce = 1000;
/** The lock of a check is renewed while it runs, so that a crashed server blocks others no longer than this. */
const longestLeaseSeconds = 60;
/** After this many consecutive errors a dependency is down, and continuing would only take long. */
const mostErrorsInARow = 64;

/** Requested by an administrator: all files, or one. */
export async function checkNow(
  server: Checking,
  call: Call,
  { level, fileId, signal }: { level: CheckLevel; fileId?: string | undefined; signal: AbortSignal },
): Promise<CheckResult> {
  const { db } = server.database;
  const input = { level, sampleRate: 1, signal };
  const file = fileId === undefined ? undefined : await findFile(db, call.actor.tenantId, toKey(fileId));
  if (file === null || (file && !isLive(file))) throw new ApiError('FILE_NOT_EXIST');
  const result = await checkAlone(server, call, input, file?.id);
  if (result === null) throw await toLocked(server, call.actor.tenantId);
  return result;
}

/** Whether the lock's server is running is known at the end of its lease: by then it was renewed or is free. */
async function toLocked({ database, clock }: Checking, tenantId: Key): Promise<ApiError> {
  const leftMs = (await findLockEnd(database.db, toLockName(tenantId))) - clock.now();
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  return new ApiError(
    'CONFLICT',
    `another integrity check is running, or its server stopped during the check; try again in ${seconds} s`,
    { retryAfterSeconds: seconds },
  );
}

export const toLockName = (tenantId: Key): string => `integrity ${tenantId}`;

/** Returns null if another check of the tenant is running. */
export function checkAlone(
  server: Checking,
  call: Call<Party>,
  input: Input,
  onlyFile?: Key,
): Promise<CheckResult | null> {
  const { database, clock, config } = server;
  const lock = { db: database.db, engine: database.kind, clock };
  const leaseSeconds = Math.min(config.integrity.lockTimeoutSeconds, longestLeaseSeconds);
  return withLease(lock, toLockName(call.actor.tenantId), { leaseSeconds }, async lease => {
    const signal = AbortSignal.any([input.signal, lease.signal]);
    const tally: Tally = { totalChecked: 0, mismatchesFound: 0, errorsEncountered: 0 };
    const walk = onlyFile === undefined ? walkTenant(server, call.actor.tenantId, input.sampleRate) : [[onlyFile]];
    await checkEach(server, call, { ...input, signal }, { walk, tally });
    const result = { ...tally, level: input.level };
    const param = { ...result, ...(onlyFile !== undefined && { fileId: onlyFile }) };
    const description = `integrity checked: ${input.level}`;
    await database.db
      .transaction()
      .execute(tx => recordAudit(tx, call, clock.now(), 'integrity.check', description, param));
    return result;
  });
}

/** Ids, in small batches. */
async function* walkTenant({ database, config }: Checking, tenantId: Key, rate: number): AsyncGenerator<Key[]> {
  const { batchSize } = config.integrity;
  let after = 0;
  for (;;) {
    const ids = await listLiveFileIds(database.db, tenantId, after, idsAtOnce);
    const chosen = rate >= 1 ? ids : ids.filter(() => Math.random() < rate);
    for (let from = 0; from < chosen.length; from += batchSize) yield chosen.slice(from, from + batchSize);
    const last = ids.at(-1);
    if (last === undefined || ids.length < idsAtOnce) return;
    after = last;
  }
}

async function checkEach(
  server: Checking,
  call: Call<Party>,
  input: Input,
  { walk, tally }: { readonly walk: AsyncIterable<Key[]> | Iterable<Key[]>; readonly tally: Tally },
): Promise<void> {
  const { db } = server.database;
  const { tenantId } = call.actor;
  let inARow = 0;
  for await (const ids of walk) {
    const files = await listLiveFiles(db, tenantId, ids);
    for (let from = 0; from < files.length; from += examinedAtOnce) {
      input.signal.throwIfAborted();
      const subjects = await readSubjects(db, tenantId, files.slice(from, from + examinedAtOnce));
      const errors = await inParallel(subjects, subject => checkOne(server, call, input, { subject, tally }));
      inARow = errors.every(isError => isError) ? inARow + errors.length : 0;
      if (inARow < mostErrorsInARow) continue;
      server.log.error({ tenantId, ...tally }, 'stopped an integrity check: too many files in a row failed');
      return;
    }
  }
}

/** Returns whether nothing could be determined. */
async function checkOne(
  server: Checking,
  call: Call<Party>,
  { level, signal }: Input,
  { subject, tally }: { readonly subject: Subject; readonly tally: Tally },
): Promise<boolean> {
  const { log } = server;
  tally.totalChecked += 1;
  try {
    const { findings, outage } = await examineFile(toExamines(server), subject, level, signal);
    await raiseFindings(server, call, { file: subject.file, findings, tally });
    if (outage !== undefined) throw outage;
    return false;
  } catch (error) {
    signal.throwIfAborted();
    tally.errorsEncountered += 1;
    log.warn({ fileId: subject.file.id, error: toErrorText(error) }, 'failed to check the integrity of a file');
    return true;
  }
}

type CheckedFile = { readonly file: FileRow; readonly findings: readonly Finding[]; readonly tally: Tally };

async function raiseFindings(
  { database, clock }: Checking,
  call: Call<Party>,
  { file, findings, tally }: CheckedFile,
): Promise<void> {
  if (findings.length === 0) return;
  const now = await findFile(database.db, file.tenant_id, file.id);
  if (now === null || !isLive(now)) return; // deleted meanwhile
  tally.mismatchesFound += findings.length;
  for (const finding of findings)
    await database.db.transaction().execute(tx => raiseAlert(tx, call, file.id, finding, clock.now()));
}
