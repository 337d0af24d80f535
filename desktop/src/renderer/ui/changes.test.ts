// Reloads of a list after events, and after starts of the event stream.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FeedState } from '../../bridge/bridge.ts';
import { openWatched } from '../../bridge/watched.ts';
import { listenForChanges } from './changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timestamp = '2026-01-31T12:00:00.000Z';
const connected = (missed = false, more: { quietMs?: number | null } = {}): ServerEvent => ({
  type: 'connected',
  timestamp,
  payload: { connectionId: 'c', missed, ...more },
});
const recorded = { type: 'file-recorded', timestamp, payload: {} } as unknown as ServerEvent;
const message = { type: 'message-received', timestamp, payload: {} } as unknown as ServerEvent;

function openList(first: FeedState) {
  const listeners = new Set<(event: ServerEvent) => void>();
  const listen = (hear: (event: ServerEvent) => void) => {
    listeners.add(hear);
    return () => void listeners.delete(hear);
  };
  let reloads = 0;
  const stop = listenForChanges({ state: openWatched(first), listen }, ['file-recorded'], () => {
    reloads += 1;
  });
  return {
    stop,
    /** How often these events lead to a reload. */
    hear(...events: readonly ServerEvent[]): number {
      const before = reloads;
      for (const event of events) for (const hear of listeners) hear(event);
      vi.advanceTimersByTime(1000);
      return reloads - before;
    },
  };
}

test.each(['off', 'connecting', 'waiting'] as const)(
  'a list loaded while the stream was %s is loaded again once the stream starts, once',
  state => {
    const list = openList(state);
    expect(list.hear(connected())).toBe(1);
    expect(list.hear(connected()), 'it goes on where it was').toBe(0);
    expect(list.hear(connected(true))).toBe(1);
  },
);

test.each([
  ['no event is stored', null, 0],
  ['the newest is older than the list', 60_000, 0],
  ['the newest is as old as the list', 30_000, 1],
  ['the newest may have been stored by a long transaction', 35_000, 1],
  ['the newest is newer than the list', 0, 1],
])('a starting stream reports whether an event followed the loading of the list: %s', (_, quietMs, reloads) => {
  const list = openList('connecting');
  vi.advanceTimersByTime(30_000);
  expect(list.hear(connected(false, { quietMs }))).toBe(reloads);
});

test('a list loaded after the start of the stream is loaded again only for its events', () => {
  const list = openList('live');
  expect(list.hear(connected())).toBe(0);
  expect(list.hear(message)).toBe(0);
  expect(list.hear(recorded, recorded, recorded), 'coalesced').toBe(1);
  expect(list.hear(connected(true), recorded)).toBe(1);
  list.stop();
  expect(list.hear(recorded)).toBe(0);
});
