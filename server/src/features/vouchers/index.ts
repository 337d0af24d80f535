// Vouchers for checkpoints: cosignatures of witnesses and peers, RFC 3161 time stamps, Bitcoin anchors.
import type { NewLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { feature } from '../../platform/feature.ts';
import type { Server } from '../../platform/server.ts';
import { listEntriesAbout } from '../chain/index.ts';
import type { FileRow } from '../files/index.ts';
import { openFailureCounter, voucherProbe } from './lag.ts';
import { voucherMigrations } from './migrations.ts';
import { askAfterPublications, voucherJobs, voucherSchedules } from './push-job.ts';
import { exportEvidenceOf, voucherRoutes, withLedgerErrors } from './routes.ts';
import { listTargets } from './targets.ts';
import { chooseFor, writeEntryProof } from './tlog-proof.ts';
import { upgradeJob, upgradeSchedule } from './upgrade-job.ts';

type EvidenceInput = Parameters<typeof exportEvidenceOf>[2];

/** The evidence archive of a file, for pages whose visitors may have its proof. */
export function openEvidence(server: Server) {
  const targets = listTargets(server);
  return {
    /** Whether this server has voucher targets. */
    isOffered: targets.length > 0,
    export: (file: FileRow, request: EvidenceInput) => exportEvidenceOf({ ...server, targets }, { file }, request),
    /** The C2SP tlog-proof of the entry on this subject. Null if the ledger has none. */
    proveEntry: async (kind: NewLedgerEntry['kind'], subject: string): Promise<Uint8Array | null> => {
      const [entry] = await listEntriesAbout(server.database.db, kind, [subject]);
      if (entry === undefined) return null;
      return withLedgerErrors(async () => {
        const { checkpoint } = await chooseFor({ ...server, targets }, entry);
        return writeEntryProof(server, entry, checkpoint);
      });
    },
  };
}

export const vouchers = feature({
  name: 'vouchers',
  layer: 4,
  migrations: voucherMigrations,
  open: server => {
    const targets = listTargets(server);
    const routes = voucherRoutes({ ...server, targets });
    if (targets.length === 0) return { routes };
    const pushing = { ...server, countFailure: openFailureCounter(server, targets) };
    askAfterPublications(pushing, targets);
    const hasCalendars = server.config.ledger.calendars.length > 0;
    return {
      routes,
      jobs: [...voucherJobs(pushing, targets), ...(hasCalendars ? [upgradeJob(pushing)] : [])],
      schedules: [...voucherSchedules, ...(hasCalendars ? [upgradeSchedule] : [])],
      health: [voucherProbe(server, targets)],
    };
  },
});
