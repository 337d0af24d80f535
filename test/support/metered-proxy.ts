// A TCP proxy that counts the clients' bytes, and can stop accepting them at some point.
import type { Socket } from 'node:net';
import { isInterimAnswer, openSocketPairs } from './socket-pairs.ts';

export type MeteredProxy = Disposable & {
  readonly endpoint: string;
  /** Bytes that clients have sent, with headers. */
  readonly sent: number;
  /** Those among them that the server has answered. */
  readonly answered: number;
  /** Stops accepting bytes once that many have been sent; resolves then. */
  holdAfter(bytes: number): Promise<void>;
  /** Cuts the held connections, and accepts everything again. */
  release(): void;
};

/** The server behind it may be started later, so that its own address is known by then. */
export async function startMeteredProxy(targetOf: () => string): Promise<MeteredProxy> {
  const paused = new Set<Socket>();
  let sent = 0;
  let answered = 0;
  let limit = Number.POSITIVE_INFINITY;
  let onHold: () => void = () => undefined;
  const pairs = await openSocketPairs(targetOf, (client, upstream) => {
    let open = 0;
    client.on('close', () => paused.delete(client));
    client.on('data', block => {
      sent += block.length;
      open += block.length;
      if (!upstream.write(block)) {
        client.pause();
        upstream.once('drain', () => paused.has(client) || client.resume());
      }
      if (sent < limit) return;
      client.pause();
      paused.add(client);
      onHold();
    });
    upstream.on('data', block => {
      if (isInterimAnswer(block)) return;
      answered += open;
      open = 0;
    });
    upstream.pipe(client);
  });
  return {
    endpoint: pairs.endpoint,
    get sent() {
      return sent;
    },
    get answered() {
      return answered;
    },
    holdAfter(bytes) {
      limit = sent + bytes;
      return new Promise(resolve => {
        onHold = resolve;
      });
    },
    release() {
      limit = Number.POSITIVE_INFINITY;
      for (const client of paused) client.destroy();
    },
    [Symbol.dispose]: () => pairs[Symbol.dispose](),
  };
}
