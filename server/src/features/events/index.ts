// What is told to people as it happens: written with the change that it tells of, sent to whoever listens, kept for a
// day for whoever was away.
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Feature } from '../../platform/feature.ts';
import type { EventHub } from './hub.ts';
import { endStreams, keepNotices, sweepJob, sweepJobKind } from './notices.ts';
import { eventRoutes } from './routes.ts';

export { type EventHub, openEventHub, type TellNow } from './hub.ts';
export { eventMigrations } from './migrations.ts';
export type { Audience, Notice } from './notice.ts';
export { notify } from './notices.ts';

export const events = (ports: { readonly db: Db; readonly clock: Clock; readonly hub: EventHub }): Feature => ({
  name: 'events',
  routes: eventRoutes(ports.hub),
  consumers: [
    keepNotices(ports.clock, tenantId => ports.hub.announce(tenantId)),
    endStreams(person => ports.hub.sessionsEnded(person)),
  ],
  jobs: [sweepJob(ports)],
  schedules: [{ name: sweepJobKind, everySeconds: 600, jobKind: sweepJobKind }],
});
