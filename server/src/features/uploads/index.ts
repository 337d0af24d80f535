// Uploads: sessions, chunks, direct parts, and the saga that turns them into a file.
import { feature } from '../../platform/feature.ts';
import { finalizeSaga } from './finalize.ts';
import { uploadMigrations } from './migrations.ts';
import { uploadRoutes } from './routes.ts';
import { cleanJob, sweepJob, sweepJobKind } from './sweep-uploads.ts';
import { UploadsUnderWay } from './under-way.ts';

export { listReceived, stagingArea } from './chunk-queries.ts';
export { completeUpload } from './complete-upload.ts';
export { controlUpload } from './control-upload.ts';
export { forgetLostChunks } from './forget-lost-chunks.ts';
export { hasExpired } from './policy.ts';
export {
  findUpload,
  findUploadPaths,
  hasUploadsUnder,
  listUploadPlaces,
  listUploadsOf,
  type UploadRow,
} from './queries.ts';
export { receiveChunk } from './receive-chunk.ts';
export { startUpload } from './start-upload.ts';
export { storeWritten } from './upload-file.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** In-memory state of unfinished uploads. */
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
