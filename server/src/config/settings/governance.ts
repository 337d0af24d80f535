// Settings of integrity checks, of the backfill of older records, and of the sweep of unneeded objects.
import {
  bytes,
  seconds,
  settingsOf,
  share,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { rejectCron } from '../../platform/jobs/cron.ts';
import { rejectHours } from '../../platform/jobs/day-hours.ts';

const integrity = settingsOf('integrity');
const backfill = settingsOf('backfill');
const sweep = settingsOf('sweep');

export const governanceSettings = {
  integrityEnabled: integrity(
    'integrity.check.enabled',
    yesOrNo.default(true),
    'check stored files on a schedule; false: only manual checks',
  ),
  integrityCron: integrity(
    'integrity.check.schedule.cron',
    textThat(rejectCron).default('0 0 2 * * ?'),
    'schedule of checks: second, minute, hour, day, month, weekday (MON, or 1 for Sunday), in the time zone of the server',
  ),
  integritySampleRate: integrity(
    'integrity.check.sample-rate',
    share.default(0.01),
    'share of the files that a scheduled check samples',
  ),
  integrityBatchSize: integrity(
    'integrity.check.batch-size',
    wholeNumber(1, 1000).default(50),
    'number of files that a check reads from the database per query',
  ),
  integrityLockTimeoutSeconds: integrity(
    'integrity.check.lock-timeout-seconds',
    seconds(1800, 10, 86_400),
    'maximum time that a crashed check blocks others; its lock is a one-minute lease that is renewed',
  ),
  integrityMediumOdds: integrity(
    'integrity.check.medium-odds',
    share.default(0.09),
    'share of the scheduled checks that are MEDIUM; the rest are LIGHTWEIGHT',
  ),
  integrityHeavyOdds: integrity(
    'integrity.check.heavy-odds',
    share.default(0.01),
    'share of the scheduled checks that are HEAVY',
  ),
  integritySampleChunks: integrity(
    'integrity.check.heavy.sample-chunks',
    wholeNumber(0, 10_000).default(1),
    'number of chunks that a HEAVY check reads per file',
  ),
  integrityMaxDownloadBytes: integrity(
    'integrity.check.heavy.max-download-bytes',
    bytes(0, 2 ** 40).default(83_886_080),
    'maximum bytes that a HEAVY check reads per file',
  ),

  scrubEnabled: integrity(
    'integrity.scrub.enabled',
    yesOrNo.default(true),
    'scrub: reread all stored bytes over time and compare them with their hashes',
  ),
  scrubBytesPerSecond: integrity(
    'integrity.scrub.bytes-per-second',
    bytes(65_536, 2 ** 40).default(16_777_216),
    'maximum read rate of the scrub, in total over all servers',
  ),
  scrubHours: integrity(
    'integrity.scrub.hours',
    textThat(rejectHours).default('0-24'),
    'hours of the day in which the scrub runs, such as 22-6, in the time zone of the server',
  ),
  scrubWithinDays: integrity(
    'integrity.scrub.within-days',
    wholeNumber(1, 3650).default(30),
    'days within which the scrub must reread every byte; else health is DEGRADED',
  ),

  backfillWorkerEnabled: backfill(
    'backfill.worker.enabled',
    yesOrNo.default(true),
    'run manifest backfills; false: they can only be planned',
  ),
  backfillApplyEnabled: backfill(
    'backfill.apply.enabled',
    yesOrNo.default(false),
    'allow backfills to write manifests; false: only SCAN and DRY_RUN',
  ),
  backfillPageSize: backfill(
    'backfill.page-size',
    wholeNumber(1, 1000).default(100),
    'number of records that a backfill reads per page',
  ),
  backfillClaimSize: backfill(
    'backfill.claim-size',
    wholeNumber(1, 20).default(20),
    'maximum number of backfill items that a server claims at once',
  ),
  backfillMaxAttempts: backfill(
    'backfill.max-attempts',
    wholeNumber(1, 20).default(3),
    'maximum attempts per item while the object store or the chain is unavailable',
  ),
  backfillClaimLeaseSeconds: backfill(
    'backfill.claim-lease-seconds',
    seconds(120, 10, 3600),
    'lease of a claimed item: after it another server may claim the item',
  ),
  backfillRunLeaseSeconds: backfill(
    'backfill.run-lease-seconds',
    seconds(300, 10, 3600),
    'lease of a claimed run: after it another server may continue the run',
  ),
  backfillWorkerDelaySeconds: backfill(
    'backfill.worker-delay-seconds',
    seconds(5, 1, 3600),
    'poll interval of backfills',
  ),

  sweepMarkEnabled: sweep(
    'sweep.mark.enabled',
    yesOrNo.default(false),
    'allow administrators to mark unreferenced objects',
  ),
  sweepDeleteEnabled: sweep(
    'sweep.delete.enabled',
    yesOrNo.default(false),
    'delete marked objects after the protection window, if a new census finds no reference',
  ),
  sweepProtectionDays: sweep(
    'sweep.protection-window-days',
    wholeNumber(0, 3650).default(30),
    'protection window: minimum time between marking and deleting an object',
  ),
  sweepBatchSize: sweep(
    'sweep.batch-size',
    wholeNumber(1, 100).default(20),
    'maximum number of marked objects that a server claims at once',
  ),
  sweepLeaseSeconds: sweep(
    'sweep.lease-seconds',
    seconds(120, 30, 3600),
    'lease of a claimed object: after it another server may claim it',
  ),
  sweepWorkerDelaySeconds: sweep(
    'sweep.worker-delay-seconds',
    seconds(60, 1, 86_400),
    'poll interval for marked objects whose protection window has ended',
  ),
};
