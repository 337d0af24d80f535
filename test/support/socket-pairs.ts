// The base of a TCP proxy: each client has a connection of its own to the server behind, and the end of one ends the
// other.
import { connect, createServer, type Socket } from 'node:net';

export type SocketPairs = Disposable & {
  /** The port for clients. */
  readonly endpoint: string;
};

/**
 * `join` copies the bytes from one to the other. The server behind may be started later, so that its address is known
 * by then.
 */
export async function openSocketPairs(
  targetOf: () => string,
  join: (client: Socket, upstream: Socket) => void,
): Promise<SocketPairs> {
  const sockets = new Set<Socket>();
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
      });
    }
    join(client, upstream);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** `100 Continue` answers nothing. */
export const isInterimAnswer = (block: string | Buffer): boolean =>
  block.toString('latin1', 0, 12).startsWith('HTTP/1.1 100');
