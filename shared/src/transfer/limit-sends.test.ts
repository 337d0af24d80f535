// Limit on concurrent requests: order of the queue, abort of a queued request.
import { expect, test } from 'vitest';
import { limitSends } from './limit-sends.ts';
import type { Http, HttpAnswer, SendRequest } from './ports.ts';

const answer: HttpAnswer = { status: 200, headers: new Headers(), body: new Uint8Array() };

/** Answers when it is told to, and notes who asked. */
function openLimited() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const http: Http = {
    get: () => Promise.reject(new Error('nobody gets anything here')),
    send({ url }) {
      begun.push(url);
      return new Promise(resolve => ends.set(url, () => resolve(answer)));
    },
  };
  return { http, begun, end: (url: string) => ends.get(url)?.() };
}

const request = (url: string, signal = new AbortController().signal): SendRequest => ({
  ...{ method: 'PUT', url, headers: {}, size: 0, signal },
  body: (async function* () {})(),
});

test('requests are sent up to the limit, the others in the order of their arrival', async () => {
  const { http, begun, end } = openLimited();
  const limited = limitSends(http, 2);
  const all = ['a', 'b', 'c', 'd'].map(url => limited.send(request(url)));
  await expect.poll(() => begun).toEqual(['a', 'b']);
  end('b');
  await all[1];
  await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
  for (const url of ['a', 'c']) end(url);
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd']);
  end('d');
  await Promise.all(all);
});

test('a request aborted while it waits is not sent, and blocks no other', async () => {
  const { http, begun, end } = openLimited();
  const limited = limitSends(http, 1);
  const stop = new AbortController();
  const [first, given, last] = [
    limited.send(request('a')),
    limited.send(request('b', stop.signal)),
    limited.send(request('c')),
  ];
  stop.abort(new Error('thought better of it'));
  await expect(given).rejects.toThrow('thought better of it');
  end('a');
  await first;
  await expect.poll(() => begun).toEqual(['a', 'c']);
  end('c');
  await last;
});
