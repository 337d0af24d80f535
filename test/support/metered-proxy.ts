// A TCP proxy that counts what clients send through it, and can take no more of it from a point on.
import { connect, createServer, type Socket } from 'node:net';

export type MeteredProxy = Disposable & {
  readonly endpoint: string;
  /** Bytes that clients have sent, headers and all. */
  readonly sent: number;
  /** Those among them that the server has answered. */
  readonly answered: number;
  /** Takes nothing more once so many bytes have been sent; resolves when it is so. */
  holdAfter(bytes: number): Promise<void>;
  /** Cuts the connections that were held, and takes everything again. */
  release(): void;
};

/** The server behind it may be started later, and know its own address by then. */
export async function startMeteredProxy(targetOf: () => string): Promise<MeteredProxy> {
  const sockets = new Set<Socket>();
  const paused = new Set<Socket>();
  let sent = 0;
  let answered = 0;
  let limit = Number.POSITIVE_INFINITY;
  let onHold: () => void = () => undefined;
  const server = createServer(client => {
    const { hostname, port } = new URL(targetOf());
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
        sockets.delete(socket);
        paused.delete(socket);
      });
    }
    let open = 0;
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
      const isInterim = block.toString('latin1', 0, 12).startsWith('HTTP/1.1 100');
      if (isInterim) return;
      answered += open;
      open = 0;
    });
    upstream.pipe(client);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
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
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
