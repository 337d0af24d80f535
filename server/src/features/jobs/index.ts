// Jobs and events that were given up, for administrators: the platform runs them, here people look at what it could not do.
import { feature } from '../../platform/feature.ts';
import { jobRoutes } from './routes.ts';

export { dropJob, reviveJob } from './settle-dead.ts';
export { toDeadJobView } from './views.ts';

export const jobs = feature({ name: 'jobs', floor: 3, open: server => ({ routes: jobRoutes(server) }) });
