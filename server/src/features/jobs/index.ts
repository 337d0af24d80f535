// Dead jobs and events, for administrators to inspect, retry or drop.
import { feature } from '../../platform/feature.ts';
import { jobRoutes } from './routes.ts';

export { dropJob, reviveJob } from './retry-or-drop.ts';
export { toDeadJobView } from './views.ts';

export const jobs = feature({ name: 'jobs', layer: 3, open: server => ({ routes: jobRoutes(server) }) });
