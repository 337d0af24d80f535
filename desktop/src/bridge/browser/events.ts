// Event stream of the account, while a person is signed in. Unlike EventSource it sends the token in a header, and knows what
// of the stream it has received.
import { followEvents, type ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { Session } from '../../engine/session.ts';
import type { EventsBridge, FeedState } from '../bridge.ts';
import { openWatched } from '../watched.ts';

export function openEvents({ state: session, client }: Session): EventsBridge {
  const state = openWatched<FeedState>('off');
  const listeners = new Set<(event: ServerEvent) => void>();
  let following: { readonly person: string; readonly stop: AbortController } | undefined;

  async function follow(signal: AbortSignal): Promise<void> {
    state.set('connecting');
    const onWaiting = () => state.set(signal.aborted ? 'off' : 'waiting');
    try {
      for await (const event of followEvents({ client, signal, onWaiting })) {
        if (event.type === 'connected') state.set('live');
        for (const hear of [...listeners]) hear(event);
      }
    } catch {
      // Rejected for good, or replaced by newer windows.
      if (!signal.aborted) state.set('off');
    }
  }

  function adjust(): void {
    const now = session.get();
    const person = now.kind === 'signed-in' ? now.account.externalId : undefined;
    if (person === following?.person) return;
    following?.stop.abort();
    following = undefined;
    state.set('off');
    if (person === undefined) return;
    following = { person, stop: new AbortController() };
    follow(following.stop.signal);
  }

  session.watch(adjust);
  return {
    state,
    listen: hear => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}
