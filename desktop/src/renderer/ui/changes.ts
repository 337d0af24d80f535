// Reload triggers: events that change the shown data, coalesced for 250 ms.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import type { EventsBridge } from '../../bridge/bridge.ts';

const coalesceMs = 250;
/**
 * The maximum time between the storing of an event and its delivery: long transactions, clock differences between
 * servers.
 */
const lateMs = 10_000;

/**
 * Calls back for events of these types, and when events may have been missed. A stream that begins later than this
 * repeats nothing that happened before: then it calls back unless the stream says that there was no event since.
 */
export function listenForChanges(
  { state, listen }: EventsBridge,
  types: readonly ServerEvent['type'][],
  callback: () => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begunAt = performance.now();
  let isEarly = state.get() !== 'live';
  const mayHaveMissed = (event: ServerEvent): boolean => {
    if (event.type !== 'connected') return false;
    const { missed, quietMs = 0 } = event.payload;
    const wasQuiet = !isEarly || quietMs === null || quietMs > performance.now() - begunAt + lateMs;
    isEarly = false;
    return missed || !wasQuiet;
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
