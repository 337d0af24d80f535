// A TCP proxy that can lose the answer to a request which the server behind it has already carried out.
import { connect, createServer, type Socket } from 'node:net';

export type UnreliableProxy = Disposable & {
  readonly endpoint: string;
  /** Cuts the connection instead of passing on the next answer to a request whose first line matches. */
  loseNextAnswerTo(request: RegExp): void;
  readonly lost: number;
};

export async function startUnreliableProxy(target: string): Promise<UnreliableProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let losing: RegExp | null = null;
  let lost = 0;
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname);
    let doomed = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
        sockets.delete(socket);
      });
    }
    client.on('data', block => {
      const [line = ''] = block.toString('latin1', 0, 2000).split('\r\n');
      if (losing?.test(line)) {
        losing = null;
        doomed = true;
      }
      upstream.write(block);
    });
    upstream.on('data', block => {
      const isInterim = block.toString('latin1', 0, 12).startsWith('HTTP/1.1 100');
      if (!doomed || isInterim) return void client.write(block);
      lost += 1;
      client.resetAndDestroy();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    endpoint: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    loseNextAnswerTo(request) {
      losing = request;
    },
    get lost() {
      return lost;
    },
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
