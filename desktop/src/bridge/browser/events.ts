// Events of the account, while a person is signed in. Unlike EventSource the stream sends the token in a header.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { openFeed } from '../../engine/feed.ts';
import type { Session } from '../../engine/session.ts';
import type { EventsBridge } from '../bridge.ts';
import { watchPerson } from '../watched.ts';

export function openEvents(session: Session): EventsBridge {
  const listeners = new Set<(event: ServerEvent) => void>();
  const feed = openFeed(session.client, event => {
    for (const hear of [...listeners]) hear(event);
  });
  watchPerson(session.state, person => (person === undefined ? feed.stop() : feed.start()));
  return {
    state: feed.state,
    listen: hear => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}
