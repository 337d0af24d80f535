// Reloads of what is shown, by the events that change it, coalesced for 250 ms.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { EventsBridge } from '../../bridge/bridge.ts';

const coalesceMs = 250;

/**
 * Calls back for events of these types, and when events may have been missed: also when the stream begins later than this, because
 * it repeats nothing that happened before.
 */
export function listenForChanges(
  { state, listen }: EventsBridge,
  types: readonly ServerEvent['type'][],
  callback: () => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEarly = state.get() !== 'live';
  const mayHaveMissed = (event: ServerEvent): boolean => {
    if (event.type !== 'connected') return false;
    const wasEarly = isEarly;
    isEarly = false;
    return wasEarly || event.payload.missed;
  };
  const stop = listen(event => {
    if (!mayHaveMissed(event) && !types.includes(event.type)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      callback();
    }, coalesceMs);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
