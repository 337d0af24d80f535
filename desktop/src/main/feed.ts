// Event stream of the signed-in account in the desktop program.
import type { Client } from '@recordproof/shared/api/client.ts';
import { followEvents, type ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { FeedState } from '../bridge/bridge.ts';

export type Feed = Disposable & {
  state(): FeedState;
  start(): void;
  stop(): void;
};

type Parts = {
  readonly client: Pick<Client, 'open'>;
  readonly onChange: (state: FeedState) => void;
  readonly onEvent: (event: ServerEvent) => void;
};

export function openFeed({ client, onChange, onEvent }: Parts): Feed {
  let state: FeedState = 'off';
  let running: AbortController | undefined;
  const enter = (next: FeedState): void => {
    if (next === state) return;
    state = next;
    onChange(next);
  };

  async function follow(signal: AbortSignal): Promise<void> {
    enter('connecting');
    try {
      for await (const event of followEvents({ client, signal, onWaiting: () => enter('waiting') })) {
        if (event.type === 'connected') enter('live');
        onEvent(event);
      }
    } catch {
      // Ended for good by the server, or with the session.
    }
    if (!signal.aborted) enter('off');
  }

  const stop = () => {
    running?.abort();
    running = undefined;
    enter('off');
  };

  return {
    state: () => state,
    start() {
      stop();
      running = new AbortController();
      void follow(running.signal);
    },
    stop,
    [Symbol.dispose]: stop,
  };
}
