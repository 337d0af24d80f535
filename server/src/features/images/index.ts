// Pictures of people and in what they write.
import { feature } from '../../platform/feature.ts';
import { imageMigrations } from './migrations.ts';
import { imageRoutes } from './routes.ts';
import { sweepImages, sweepJobKind } from './upload-image.ts';

export { isOwnImage } from './queries.ts';

export const images = feature({
  name: 'images',
  floor: 2,
  migrations: imageMigrations,
  open: server => ({
    routes: imageRoutes(server),
    jobs: [sweepImages(server)],
    schedules: [{ name: 'images-sweep', everySeconds: 3600, jobKind: sweepJobKind }],
  }),
});
