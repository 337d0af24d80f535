// A reverse proxy before several servers: each request goes to the next of them, whatever its connection. A server that
// accepts no connection is skipped; one that breaks off is answered with 502, and a page that is not ours.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type RoundRobin = AsyncDisposable & {
  readonly url: string;
  /** Addresses of the servers, read before every request. */
  targets: readonly string[];
};

const page = '<html><head><title>502 Bad Gateway</title></head></html>';

function reject(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(502, { 'content-type': 'text/html', connection: 'close' }).end(page);
}

/** Resolves to false when the server accepted no connection, and nothing was sent to it. */
function forward(target: string, asked: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { hostname, port } = new URL(target);
  const { expect: _answeredHere, ...headers } = asked.headers;
  const from = { ...headers, 'x-forwarded-for': asked.socket.remoteAddress, 'x-forwarded-proto': 'http' };
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const upstream = open({ hostname, port, method: asked.method, path: asked.url, headers: from, agent: false });
  let isConnected = false;
  upstream.once('socket', socket =>
    socket.once('connect', () => {
      isConnected = true;
      resolve(true);
      asked.pipe(upstream);
    }),
  );
  upstream.once('error', () => {
    if (isConnected) reject(response);
    resolve(isConnected);
  });
  upstream.once('response', answer => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.once('error', () => response.destroy());
    answer.pipe(response);
  });
  response.once('close', () => void upstream.destroy());
  return promise;
}

export async function startRoundRobin(): Promise<RoundRobin> {
  const balancer = { targets: [] as readonly string[] };
  let turn = 0;
  const pass = async (asked: IncomingMessage, response: ServerResponse) => {
    const { targets } = balancer;
    turn += 1;
    for (let tries = 0; tries < targets.length; tries += 1) {
      const target = targets[(turn + tries) % targets.length];
      if (target !== undefined && (await forward(target, asked, response))) return;
    }
    reject(response);
  };
  const server = createServer((asked, response) => void pass(asked, response));
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(balancer, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
