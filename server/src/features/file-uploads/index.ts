// File uploads: whole files, one or many in a request, stored at once if short and in chunks otherwise.
import { feature } from '../../platform/feature.ts';
import { fileUploadMigrations } from './migrations.ts';
import { forgetJob, forgetJobKind } from './repeatable-upload.ts';
import { fileUploadRoutes } from './routes.ts';

export { storeWritten } from './upload-file.ts';

export const fileUploads = feature({
  name: 'file-uploads',
  layer: 3,
  migrations: fileUploadMigrations,
  open: server => ({
    routes: fileUploadRoutes(server),
    jobs: [forgetJob(server)],
    schedules: [{ name: forgetJobKind, everySeconds: 600, jobKind: forgetJobKind }],
  }),
});
