// Live events for users: written with the change that they report, sent to open streams, and kept for a day for
// reconnecting clients.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { EventHub } from './hub.ts';
import { eventMigrations } from './migrations.ts';
import { endStreams, keepNotices, notifyNewDevices, sweepJob, sweepJobKind } from './notices.ts';
import { eventRoutes } from './routes.ts';

export { notify, toNoticeEvent } from './notices.ts';
export type { Audience, Notice } from './queries.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** All event streams of this server. */
    readonly hub: EventHub;
  }
}

export const events = feature({
  name: 'events',
  layer: 1,
  migrations: eventMigrations,
  provide: async (platform, opening) => {
    const hub = opening.use(new EventHub(platform));
    await hub.start();
    return { hub };
  },
  open: server => ({
    routes: eventRoutes(server.hub),
    consumers: [keepNotices(server), notifyNewDevices(server), endStreams(server)],
    jobs: [sweepJob(server)],
    tenantRows: [rowsOf('event')],
    schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
  }),
});
