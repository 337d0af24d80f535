// Files on their way in: sessions, chunks, direct parts, and the saga that makes a file of them.
import type { Feature } from '../../platform/feature.ts';
import { finalizeSaga } from './finalize.ts';
import type { UploadPorts } from './ports.ts';
import { uploadRoutes } from './routes.ts';
import { cleanJob, sweepJob, sweepJobKind } from './sweep-uploads.ts';

export { uploadMigrations } from './migrations.ts';
export type { UploadPorts } from './ports.ts';
export { openTellProgress } from './tell-owner.ts';

export const uploads = (ports: UploadPorts): Feature => ({
  name: 'uploads',
  routes: uploadRoutes(ports),
  jobs: [cleanJob(ports), sweepJob(ports)],
  schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
  sagas: [finalizeSaga(ports) as NonNullable<Feature['sagas']>[number]],
});
