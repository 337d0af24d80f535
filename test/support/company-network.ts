// A company network between a client and a server: HTTPS with a certificate of the company's own authority, and a
// mandatory proxy.
import { readFileSync } from 'node:fs';
import { createServer, type Server as HttpServer, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { makeCertificates } from './certificates.ts';

const listen = async (server: HttpServer): Promise<number> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const close = (server: HttpServer): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

export type Front = AsyncDisposable & { readonly port: number; readonly authority: string };

/** HTTPS for these names, in front of a plain server. */
export async function openTlsFront(folder: string, names: readonly string[], behind: string): Promise<Front> {
  const { key, certificate, authority } = makeCertificates(folder, names);
  const { hostname, port } = new URL(behind);
  const front = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const { method, url, headers } = request;
    const onward = send({ hostname, port, path: url, method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
      response.on('close', () => answer.destroy());
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return { port: await listen(front), authority, [Symbol.asyncDispose]: () => close(front) };
}

export type TestProxy = AsyncDisposable & {
  readonly port: number;
  /** The requested hosts, in order. */
  readonly asked: string[];
};

type ProxyOptions = {
  /** Every connection ends at this port of this machine, whatever its target. */
  readonly leadsTo: number;
  /** Requests without it in `proxy-authorization` are rejected. */
  readonly login?: string;
};

/** A proxy that supports CONNECT, as proxies for HTTPS do. */
export async function openProxy({ leadsTo, login }: ProxyOptions): Promise<TestProxy> {
  const asked: string[] = [];
  const open = new Set<Duplex>();
  const keep = (socket: Duplex) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
  };
  const proxy = createServer((_request, response) => response.writeHead(405).end());
  proxy.on('connect', (request, socket: Socket) => {
    keep(socket);
    const known = `Basic ${Buffer.from(login ?? '').toString('base64')}`;
    if (login !== undefined && request.headers['proxy-authorization'] !== known)
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    asked.push(request.url ?? '');
    const onward = connect(leadsTo, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    keep(onward);
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  const port = await listen(proxy);
  return {
    port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await close(proxy);
    },
  };
}
