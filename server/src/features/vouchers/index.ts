// Vouchers for checkpoints: witnesses cosign those of this ledger, and peers cosign those of each other.
import { feature } from '../../platform/feature.ts';
import type { Server } from '../../platform/server.ts';
import type { FileRow } from '../files/index.ts';
import { voucherProbe } from './lag.ts';
import { voucherMigrations } from './migrations.ts';
import { askAfterPublications, voucherJobs, voucherSchedules } from './push-job.ts';
import { exportEvidenceOf, voucherRoutes } from './routes.ts';
import { listTargets } from './targets.ts';

type Asked = Parameters<typeof exportEvidenceOf>[2];

/** The evidence archive of a file, for pages whose visitors may have its proof. */
export function openEvidence(server: Server) {
  const targets = listTargets(server);
  return {
    /** Whether this server asks anybody to vouch. */
    isOffered: targets.length > 0,
    export: (file: FileRow, request: Asked) => exportEvidenceOf({ ...server, targets }, file, request),
  };
}

export const vouchers = feature({
  name: 'vouchers',
  floor: 4,
  migrations: voucherMigrations,
  open: server => {
    const targets = listTargets(server);
    const routes = voucherRoutes({ ...server, targets });
    if (targets.length === 0) return { routes };
    askAfterPublications(server, targets);
    return {
      routes,
      jobs: voucherJobs(server, targets),
      schedules: voucherSchedules,
      health: [voucherProbe(server, targets)],
    };
  },
});
