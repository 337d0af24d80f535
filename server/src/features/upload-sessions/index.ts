// Upload sessions: the row of an upload from its start to its end, its key, and what it leaves behind.
import { feature } from '../../platform/feature.ts';
import { cleanJob, sweepJob, sweepJobKind } from './clean-uploads.ts';
import { uploadMigrations } from './migrations.ts';
import { uploadSessionRoutes } from './routes.ts';
import { UploadsUnderWay } from './under-way.ts';

export {
  type ChunkRow,
  findChunk,
  forgetChunks,
  insertReceived,
  listAnnounced,
  listArrivedFrom,
  listChunks,
  listReceived,
  markChecked,
  markReceived,
  stagingArea,
  stagingPrefix,
} from './chunk-queries.ts';
export { enqueueCleaning } from './clean-uploads.ts';
export { controlUpload } from './control-upload.ts';
export { expiryOf, findByClientKey, getOwnUpload } from './own-upload.ts';
export {
  assertReceiving,
  checkPlan,
  completePlan,
  hasExpired,
  lengthOfChunk,
  type UploadLimits,
  type UploadPlan,
} from './policy.ts';
export {
  countAndTouch,
  findUpload,
  findUploadById,
  findUploadsUnder,
  getUploadById,
  hasUploadsBeside,
  listReceiving,
  listStagingFolders,
  listUploadsOf,
  lockUpload,
  lockUploadById,
  touchUpload,
  type UploadRow,
  updateUpload,
} from './queries.ts';
export { checkStart, type Started, type StartRequest, startUpload } from './start-upload.ts';
export type { Begun, Reading } from './under-way.ts';
export { openUploadKey } from './upload-key.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** In-memory state of unfinished uploads. */
    readonly underWay: UploadsUnderWay;
  }
}

export const uploadSessions = feature({
  name: 'upload-sessions',
  layer: 3,
  migrations: uploadMigrations,
  provide: ({ clock }, opening) => ({ underWay: opening.use(new UploadsUnderWay(clock)) }),
  open: server => ({
    routes: uploadSessionRoutes(server),
    jobs: [cleanJob(server), sweepJob(server)],
    schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
  }),
});
