// The start and the end of this program's servers.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves to the address for clients; port 0 picks a free one. */
export async function listenAt(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}

/** Running requests are answered; those that take longer than `graceMillis` are cut off. */
export async function closeServer(server: Server, graceMillis: number): Promise<void> {
  const closed = new Promise(done => server.close(done));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMillis);
  await closed;
  clearTimeout(timer);
}

/** Aborts at SIGINT or SIGTERM. */
export function untilSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}
