// A proxy in front of a server that simulates exhausted rate limits: the first call of each kind is rejected with 429,
// the same call later passes.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FullMinutes = AsyncDisposable & {
  readonly url: string;
  /** Rejected calls. */
  readonly refused: string[];
  retryAfterSeconds: number;
};

const rejection = JSON.stringify({ code: 429, message: 'too many requests', data: null });

function pass(port: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, answer => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

export async function openFullMinutes(server: string, retryAfterSeconds: number): Promise<FullMinutes> {
  const { port } = new URL(server);
  const seen = new Set<string>();
  const http = createServer((incoming, outgoing) => {
    const call = `${incoming.method} ${incoming.url?.replace(/\?.*/, '')}`;
    if (seen.has(call)) return pass(port, incoming, outgoing);
    seen.add(call);
    opened.refused.push(call);
    outgoing.writeHead(429, {
      'content-type': 'application/json',
      'retry-after': String(opened.retryAfterSeconds),
      'x-ratelimit-limit': '20',
    });
    incoming.resume().on('end', () => outgoing.end(rejection));
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const opened: FullMinutes = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    refused: [],
    retryAfterSeconds,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise(resolve => http.close(resolve));
    },
  };
  return opened;
}
