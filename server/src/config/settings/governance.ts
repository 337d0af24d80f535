// Settings of integrity checks, of the backfill of older records, and of the sweep of unneeded objects.
import { bytes, define, seconds, share, textThat, wholeNumber, yesOrNo } from '@recordproof/shared/settings/setting.ts';
import { rejectCron } from '../../platform/jobs/cron.ts';
import { rejectHours } from '../../platform/jobs/day-hours.ts';

export const governanceSettings = {
  integrityEnabled: define(
    'integrity',
    'integrity.check.enabled',
    yesOrNo.default(true),
    'check stored files by schedule; without it checks are made by hand only',
  ),
  integrityCron: define(
    'integrity',
    'integrity.check.schedule.cron',
    textThat(rejectCron).default('0 0 2 * * ?'),
    'when: second, minute, hour, day, month, weekday (MON, or 1 for Sunday), in the time zone of the server',
  ),
  integritySampleRate: define(
    'integrity',
    'integrity.check.sample-rate',
    share.default(0.01),
    'share of the files that a scheduled check looks at',
  ),
  integrityBatchSize: define(
    'integrity',
    'integrity.check.batch-size',
    wholeNumber(1, 1000).default(50),
    'files that a check reads from the database at once',
  ),
  integrityLockTimeoutSeconds: define(
    'integrity',
    'integrity.check.lock-timeout-seconds',
    seconds(1800, 10, 86_400),
    'how long a check that died may block others at most; its lock is a lease of a minute that is renewed',
  ),
  integrityMediumOdds: define(
    'integrity',
    'integrity.check.medium-odds',
    share.default(0.09),
    'share of the scheduled checks that are MEDIUM; what is left is LIGHTWEIGHT',
  ),
  integrityHeavyOdds: define(
    'integrity',
    'integrity.check.heavy-odds',
    share.default(0.01),
    'share of the scheduled checks that are HEAVY',
  ),
  integritySampleChunks: define(
    'integrity',
    'integrity.check.heavy.sample-chunks',
    wholeNumber(0, 10_000).default(1),
    'chunks of a file that a HEAVY check reads',
  ),
  integrityMaxDownloadBytes: define(
    'integrity',
    'integrity.check.heavy.max-download-bytes',
    bytes(0, 2 ** 40).default(83_886_080),
    'most bytes of a file that a HEAVY check reads',
  ),

  scrubEnabled: define(
    'integrity',
    'integrity.scrub.enabled',
    yesOrNo.default(true),
    'read every byte that is stored again, bit by bit, and compare it with its hash',
  ),
  scrubBytesPerSecond: define(
    'integrity',
    'integrity.scrub.bytes-per-second',
    bytes(65_536, 2 ** 40).default(16_777_216),
    'how fast the scrub reads at most, on all servers together',
  ),
  scrubHours: define(
    'integrity',
    'integrity.scrub.hours',
    textThat(rejectHours).default('0-24'),
    'hours of the day in which the scrub reads, such as 22-6, in the time zone of the server',
  ),
  scrubWithinDays: define(
    'integrity',
    'integrity.scrub.within-days',
    wholeNumber(1, 3650).default(30),
    'days within which every byte is to be read again; health is DEGRADED when that fails',
  ),

  backfillWorkerEnabled: define(
    'backfill',
    'backfill.worker.enabled',
    yesOrNo.default(true),
    'work on manifest backfills; without it they can be planned only',
  ),
  backfillApplyEnabled: define(
    'backfill',
    'backfill.apply.enabled',
    yesOrNo.default(false),
    'let backfills write manifests; without it they look only',
  ),
  backfillPageSize: define(
    'backfill',
    'backfill.page-size',
    wholeNumber(1, 1000).default(100),
    'records that a backfill finds at once',
  ),
  backfillClaimSize: define(
    'backfill',
    'backfill.claim-size',
    wholeNumber(1, 20).default(20),
    'items of a backfill that a server takes on at once',
  ),
  backfillMaxAttempts: define(
    'backfill',
    'backfill.max-attempts',
    wholeNumber(1, 20).default(3),
    'tries of each item while the store or the chain is away',
  ),
  backfillClaimLeaseSeconds: define(
    'backfill',
    'backfill.claim-lease-seconds',
    seconds(120, 10, 3600),
    'how long an item stays with a server that is not heard of',
  ),
  backfillRunLeaseSeconds: define(
    'backfill',
    'backfill.run-lease-seconds',
    seconds(300, 10, 3600),
    'how long a run stays with a server that is not heard of',
  ),
  backfillWorkerDelaySeconds: define(
    'backfill',
    'backfill.worker-delay-seconds',
    seconds(5, 1, 3600),
    'pause between two looks for backfills',
  ),

  sweepMarkEnabled: define(
    'sweep',
    'sweep.mark.enabled',
    yesOrNo.default(false),
    'let administrators mark objects that nothing refers to',
  ),
  sweepDeleteEnabled: define(
    'sweep',
    'sweep.delete.enabled',
    yesOrNo.default(false),
    'delete marked objects once their protection has ended and a new census agrees',
  ),
  sweepProtectionDays: define(
    'sweep',
    'sweep.protection-window-days',
    wholeNumber(0, 3650).default(30),
    'how long a marked object stays at least',
  ),
  sweepBatchSize: define(
    'sweep',
    'sweep.batch-size',
    wholeNumber(1, 100).default(20),
    'marked objects that a server takes on at once',
  ),
  sweepLeaseSeconds: define(
    'sweep',
    'sweep.lease-seconds',
    seconds(120, 30, 3600),
    'how long a marked object stays with a server that is not heard of',
  ),
  sweepWorkerDelaySeconds: define(
    'sweep',
    'sweep.worker-delay-seconds',
    seconds(60, 1, 86_400),
    'pause between two looks for marked objects whose time has come',
  ),
};
