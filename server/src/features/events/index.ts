// What is told to people as it happens: written with the change that it tells of, sent to whoever listens, kept for a
// day for whoever was away.
import { feature } from '../../platform/feature.ts';
import { type EventHub, openEventHub } from './hub.ts';
import { eventMigrations } from './migrations.ts';
import { endStreams, keepNotices, sweepJob, sweepJobKind } from './notices.ts';
import { eventRoutes } from './routes.ts';

export type { Audience, Notice } from './notice.ts';
export { notify, toNoticeEvent } from './notices.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** All event streams of this server. */
    readonly hub: EventHub;
  }
}

export const events = feature({
  name: 'events',
  floor: 1,
  migrations: eventMigrations,
  provide: async (platform, opening) => ({ hub: opening.use(await openEventHub(platform)) }),
  open: server => ({
    routes: eventRoutes(server.hub),
    consumers: [keepNotices(server), endStreams(server)],
    jobs: [sweepJob(server)],
    schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
  }),
});
