// Pictures of people and in what they write.
import type { Feature } from '../../platform/feature.ts';
import { imageRoutes } from './routes.ts';
import { type ImagePorts, sweepImages, sweepJobKind } from './upload-image.ts';

export { imageMigrations } from './migrations.ts';
export { isOwnImage } from './queries.ts';
export type { ImagePorts } from './upload-image.ts';

export const images = (ports: ImagePorts): Feature => ({
  name: 'images',
  routes: imageRoutes(ports),
  jobs: [sweepImages(ports)],
  schedules: [{ name: 'images-sweep', everySeconds: 3600, jobKind: sweepJobKind }],
});
