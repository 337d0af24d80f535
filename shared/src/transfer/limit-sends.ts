// A limit on concurrent bulk requests, shared by all senders. It bounds what is lost when a program is killed, and
// browsers open at most six connections per server.
import type { Http, SendRequest } from './ports.ts';

export function limitSends(http: Http, most: number): Http {
  const waiting = new Set<() => void>();
  let free = most;

  async function takeTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => void (waiting.delete(resolve) && reject(signal.reason));
    waiting.add(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
  }

  function passOn(): void {
    const [next] = waiting;
    if (!next) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    get: request => http.get(request),
    async send(request: SendRequest) {
      await takeTurn(request.signal);
      try {
        return await http.send(request);
      } finally {
        passOn();
      }
    },
  };
}
