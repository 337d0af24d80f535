// Files on their way in: sessions, chunks, direct parts, and the saga that makes a file of them.
import { feature } from '../../platform/feature.ts';
import { finalizeSaga } from './finalize.ts';
import { uploadMigrations } from './migrations.ts';
import { uploadRoutes } from './routes.ts';
import { cleanJob, sweepJob, sweepJobKind } from './sweep-uploads.ts';
import { UploadsUnderWay } from './under-way.ts';

export { stagingArea } from './chunk-queries.ts';
export { forgetLostChunks } from './forget-lost-chunks.ts';
export { hasUploadsUnder, listUploadPlaces } from './queries.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** What this server keeps in mind of unfinished uploads. */
    readonly underWay: UploadsUnderWay;
  }
}

export const uploads = feature({
  name: 'uploads',
  floor: 3,
  migrations: uploadMigrations,
  provide: ({ clock }, opening) => ({ underWay: opening.use(new UploadsUnderWay(clock)) }),
  open: server => ({
    routes: uploadRoutes(server),
    jobs: [cleanJob(server), sweepJob(server)],
    schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
    sagas: [finalizeSaga(server)],
  }),
});
