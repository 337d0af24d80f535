// Routes of events.
import * as api from '@recordproof/shared/api/events.ts';
import type { Key } from '../../platform/db/tables.ts';
import { eventStreamHeaders } from '../../platform/http/page-headers.ts';
import { type PlainAnswer, plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { EventHub } from './hub.ts';

/** An id in the header is newer than one in the URL, which a client repeats with every reconnect. */
function findLastEventId({ headers, query }: Request<typeof api.connectEvents>): Key | undefined {
  const sent = headers['last-event-id'];
  // An id that was never issued is handled as one from before a restored backup: start now, and report missed events.
  if (sent !== undefined) return api.eventId.safeParse(sent).success ? toKey(String(sent)) : Number.MAX_SAFE_INTEGER;
  return query.lastEventId === undefined ? undefined : toKey(query.lastEventId);
}

async function connect(hub: EventHub, r: Request<typeof api.connectEvents>): Promise<PlainAnswer | undefined> {
  if (r.method === 'HEAD') return { headers: eventStreamHeaders, body: null };
  await hub.connect(r.actor, findLastEventId(r), () => r.openStream(eventStreamHeaders));
  return undefined;
}

export const eventRoutes = (hub: EventHub): Route[] => [
  plainRoute(api.connectEvents, r => connect(hub, r)),
  route(api.getStreamStatus, async r => {
    const connectionCount = await hub.countStreams(r.actor);
    return { connected: connectionCount > 0, connectionCount };
  }),
  route(api.disconnectEvents, r => {
    hub.disconnect(r.actor, r.query.connectionId);
    return null;
  }),
];
