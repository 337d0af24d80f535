// Minimum rate of request bodies: rejection, and time that is not counted.
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BodyPace } from './body-pace.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function begin(minBytesPerSecond = 100) {
  const pace = new BodyPace({ spanMs: 1000, minBytesPerSecond });
  const socket = { bytesRead: 500 };
  const request = { complete: false, readableLength: 0, socket };
  const rendered: string[] = [];
  pace.watch(request as unknown as IncomingMessage, () => void rendered.push('too slow'));
  /** Second by second. */
  const bring = (...bytes: number[]) => {
    for (const some of bytes) {
      socket.bytesRead += some;
      vi.advanceTimersByTime(1000);
    }
  };
  return { request, told: rendered, bring };
}

test('a body below the minimum rate is rejected once', () => {
  const { told: rendered, bring } = begin();
  bring(1000, 100, 100);
  expect(rendered).toEqual([]);
  bring(99, 1, 1, 1);
  expect(rendered).toEqual(['too slow']);
  expect(vi.getTimerCount()).toBe(0);
});

test('time in which the server does not read is not counted', () => {
  const { request, told: rendered, bring } = begin();
  request.readableLength = 10;
  bring(0, 0, 0, 0);
  expect(rendered).toEqual([]);
  request.readableLength = 0;
  bring(0, 0);
  expect(rendered).toEqual(['too slow']);
});

test('a complete body is not watched any more, and a minimum rate of zero allows any rate', () => {
  const { request, told: rendered, bring } = begin();
  request.complete = true;
  bring(0, 0, 0);
  const any = begin(0);
  any.bring(0, 0, 0);
  expect([rendered, any.told, vi.getTimerCount()]).toEqual([[], [], 0]);
});
