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
  const become = (next: FeedState): void => {
    if (next === state) return;
    state = next;
    onChange(next);
  };

  async function follow(signal: AbortSignal): Promise<void> {
    become('connecting');
    try {
      for await (const event of followEvents({ client, signal, onWaiting: () => become('waiting') })) {
        if (event.type === 'connected') become('live');
        onEvent(event);
      }
    } catch {
      // Ended for good: by the server, or with the session, which the client has seen too.
    }
    if (!signal.aborted) become('off');
  }

  const stop = () => {
    running?.abort();
    running = undefined;
    become('off');
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
