// Event stream of an account: its state, and its events as they arrive. Reconnects where the stream stopped.
import type { Client } from '@recordproof/shared/api/client.ts';
import { followEvents, type ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { FeedState, Watched } from '../bridge/bridge.ts';
import { openWatched } from '../bridge/watched.ts';

export type Feed = {
  readonly state: Watched<FeedState>;
  /** Restarts a running stream, because the account may have changed. */
  start(): void;
  stop(): void;
};

export function openFeed(client: Pick<Client, 'open'>, onEvent: (event: ServerEvent) => void): Feed {
  const state = openWatched<FeedState>('off');
  let running: AbortController | undefined;

  async function follow(signal: AbortSignal): Promise<void> {
    const enter = (next: FeedState): void => {
      if (!signal.aborted) state.set(next);
    };
    enter('connecting');
    try {
      for await (const event of followEvents({ client, signal, onWaiting: () => enter('waiting') })) {
        if (event.type === 'connected') enter('live');
        onEvent(event);
      }
    } catch {
      // Rejected for good, or replaced by newer windows.
    }
    enter('off');
  }

  function stop(): void {
    running?.abort();
    running = undefined;
    state.set('off');
  }

  return {
    state,
    start() {
      stop();
      running = new AbortController();
      void follow(running.signal);
    },
    stop,
  };
}
