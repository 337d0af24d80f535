// Vouchers for checkpoints: witnesses cosign those of this ledger, and peers cosign those of each other.
import { feature } from '../../platform/feature.ts';
import { voucherProbe } from './lag.ts';
import { voucherMigrations } from './migrations.ts';
import { askAfterPublications, voucherJobs, voucherSchedules } from './push-job.ts';
import { voucherRoutes } from './routes.ts';
import { listTargets } from './targets.ts';

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
