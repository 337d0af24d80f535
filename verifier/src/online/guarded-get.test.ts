// Guarded HTTP requests: address checks, allowed hosts, redirects, TLS, media types, limits on size and time.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { testWith } from '../../../test/support/programs.ts';
import { type Guard, guardedGet, maxAnswerBytes } from './guarded-get.ts';

const open: Server[] = [];
afterAll(() => {
  for (const server of open) server.close().closeAllConnections();
});

async function serve(
  listener: RequestListener,
): Promise<{ port: number; asked: string[]; addresses: (string | undefined)[] }> {
  const asked: string[] = [];
  const addresses: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    listener(request, response);
  });
  server.on('connection', socket => addresses.push(socket.localAddress));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return { port: (server.address() as AddressInfo).port, asked, addresses };
}

const json: RequestListener = (_, response) => response.setHeader('content-type', 'application/json').end('{"a":1}');

const guard = (changes: Partial<Guard> = {}): Guard => ({
  allowedHosts: ['127.0.0.1', 'issuer.test'],
  allowHttp: true,
  allowPrivateAddresses: true,
  connectTimeoutMillis: 1000,
  requestTimeoutMillis: 2000,
  ...changes,
});

const get = (url: string, changes: Partial<Guard> = {}) => guardedGet(new URL(url), guard(changes));
const rejected = (code: string) => ({ kind: 'refused', code });
const loopback = async () => [{ address: '127.0.0.1', family: 4 }];

test('an allowed response is returned with its bytes', async () => {
  const { port, asked } = await serve(json);
  expect(await get(`http://127.0.0.1:${port}/x`)).toEqual({ kind: 'answer', bytes: Buffer.from('{"a":1}') });
  expect(asked).toEqual([`127.0.0.1:${port} /x`]);
});

test('a name is resolved once, and the connection uses the checked address', async () => {
  const { port, asked } = await serve(json);
  let times = 0;
  const resolve = async () => {
    times++;
    // A second answer would lead somewhere else.
    return [{ address: times === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  };
  expect(await get(`http://issuer.test:${port}/`, { resolve })).toMatchObject({ kind: 'answer' });
  expect([times, asked]).toEqual([1, [`issuer.test:${port} /`]]);
});

test('loopback named by the caller needs neither HTTPS nor a public address; all else does', async () => {
  const { port, asked } = await serve(json);
  const host = `127.0.0.1:${port}`;
  const safe = {
    allowHttp: false,
    allowPrivateAddresses: false,
    loopbackHosts: [host, `localhost:${port}`, `issuer.test:${port}`],
  };
  const allowed = { allowedHosts: ['127.0.0.1', 'localhost', 'issuer.test', '10.0.0.1'] };
  expect(await get(`http://${host}/x`, { ...allowed, ...safe })).toMatchObject({ kind: 'answer' });
  expect(await get(`http://localhost:${port}/x`, { ...allowed, ...safe, resolve: loopback })).toMatchObject({
    kind: 'answer',
  });
  // Not named by the caller, no loopback by its name, or a name of the machine that leads elsewhere.
  expect(await get(`http://${host}/x`, { ...allowed, ...safe, loopbackHosts: [] })).toEqual(rejected('SCHEME_REFUSED'));
  expect(await get(`http://issuer.test:${port}/`, { ...allowed, ...safe, resolve: loopback })).toEqual(
    rejected('SCHEME_REFUSED'),
  );
  expect(await get(`https://issuer.test:${port}/`, { ...allowed, ...safe, resolve: loopback })).toEqual(
    rejected('ADDRESS_REFUSED'),
  );
  const elsewhere = async () => [{ address: '10.0.0.1', family: 4 }];
  expect(await get(`http://localhost:${port}/`, { ...allowed, ...safe, resolve: elsewhere })).toEqual(
    rejected('ADDRESS_REFUSED'),
  );
  expect(asked).toHaveLength(2);
});

test('one private address among public ones blocks the connection', async () => {
  const { port, addresses } = await serve(json);
  const resolve = async () => [
    { address: '8.8.8.8', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  expect(await get(`http://issuer.test:${port}/`, { resolve, allowPrivateAddresses: false })).toEqual(
    rejected('ADDRESS_REFUSED'),
  );
  expect(addresses).toEqual([]);
});

test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '2130706433', '0x7f.1', '127.1'])(
  'the loopback address %s is rejected without a connection',
  async host => {
    const { port, addresses } = await serve(json);
    const url = new URL(`http://${host}:${port}/`);
    const answer = await guardedGet(url, guard({ allowedHosts: [url.hostname], allowPrivateAddresses: false }));
    expect(answer).toEqual(rejected('ADDRESS_REFUSED'));
    expect(addresses).toEqual([]);
  },
);

test('a host without an exact list entry is rejected', async () => {
  const { port, asked } = await serve(json);
  for (const host of ['localhost', 'localhost.', 'sub.issuer.test', 'issuer.test.', 'issuer.test.evil.example'])
    expect(await get(`http://${host}:${port}/`, { resolve: loopback }), host).toEqual(rejected('HOST_NOT_ALLOWED'));
  expect(await get(`http://127.0.0.1:${port}/`, { allowedHosts: ['127.0.0.1:1'] })).toEqual(
    rejected('HOST_NOT_ALLOWED'),
  );
  expect(await get(`http://u:p@127.0.0.1:${port}/`)).toEqual(rejected('HOST_NOT_ALLOWED'));
  expect(asked).toEqual([]);
});

test('plain HTTP is rejected unless a test allows it', async () => {
  const { port, asked } = await serve(json);
  expect(await get(`http://127.0.0.1:${port}/`, { allowHttp: false })).toEqual(rejected('SCHEME_REFUSED'));
  expect(asked).toEqual([]);
});

test('a redirect is not followed', async () => {
  const target = await serve(json);
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `http://127.0.0.1:${target.port}/`;
    const { port } = await serve((_, response) => response.writeHead(status, { location }).end());
    expect(await get(`http://127.0.0.1:${port}/`)).toEqual(rejected('REDIRECT_REFUSED'));
  }
  expect(target.asked).toEqual([]);
});

test('404 means unknown, and every other status is an unusable response', async () => {
  const { port } = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end());
  expect(await get(`http://127.0.0.1:${port}/404`)).toEqual({ kind: 'not-found' });
  for (const status of [201, 204, 400, 401, 403, 429, 500, 503])
    expect(await get(`http://127.0.0.1:${port}/${status}`)).toEqual(rejected('ANSWER_NOT_OK'));
});

test('only JSON media types are accepted', async () => {
  const { port } = await serve((request, response) =>
    response.setHeader('content-type', decodeURIComponent(request.url?.slice(1) ?? '')).end('{}'),
  );
  const ask = (type: string) => get(`http://127.0.0.1:${port}/${encodeURIComponent(type)}`);
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/problem+json'])
    expect(await ask(type), type).toMatchObject({ kind: 'answer' });
  for (const type of [
    'text/html',
    'text/json',
    'application/jsonp',
    'application/json+xml',
    'application/+json',
    'x/application/json',
  ])
    expect(await ask(type), type).toEqual(rejected('MEDIA_TYPE_REFUSED'));
});

test('a compressed response is rejected', async () => {
  const { port } = await serve((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x'),
  );
  expect(await get(`http://127.0.0.1:${port}/`)).toEqual(rejected('MEDIA_TYPE_REFUSED'));
});

test('256 KiB are read and one byte more is not, with and without a content length', async () => {
  const { port } = await serve((request, response) => {
    response.setHeader('content-type', 'application/json');
    const size = Number(request.url?.slice(2));
    if (request.url?.startsWith('/c')) response.setHeader('content-length', size);
    response.end(Buffer.alloc(size, ' '));
  });
  for (const kind of ['c', 's']) {
    const ask = (size: number) => get(`http://127.0.0.1:${port}/${kind}${size}`);
    expect(await ask(maxAnswerBytes)).toMatchObject({ kind: 'answer' });
    expect(await ask(maxAnswerBytes + 1)).toEqual(rejected('ANSWER_TOO_LARGE'));
  }
});

test('a slow response is cut off at the deadline', async () => {
  const { port } = await serve((_, response) => {
    response.setHeader('content-type', 'application/json');
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  expect(await get(`http://127.0.0.1:${port}/`, { requestTimeoutMillis: 200 })).toEqual(rejected('TIMED_OUT'));
});

test('a truncated response is rejected', async () => {
  const server = createTcpServer(socket => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{}'),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  expect(await get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)).toEqual(
    rejected('CONNECTION_FAILED'),
  );
  server.close();
});

test('a malformed response ends the request', async () => {
  let said = '';
  const server = createTcpServer(socket => socket.on('error', () => {}).once('data', () => socket.write(said)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const ask = (answer: string) => {
    said = answer;
    return get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { requestTimeoutMillis: 300 });
  };
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n\r\n';
  expect(await ask(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}`)).toEqual(rejected('CONNECTION_FAILED'));
  expect(await ask('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toEqual(rejected('ANSWER_NOT_OK'));
  expect(await ask('HTTP/1.1 100 Continue\r\n\r\n'.repeat(50))).toEqual(rejected('TIMED_OUT'));
  expect(await ask('not HTTP at all\r\n\r\n')).toEqual(rejected('CONNECTION_FAILED'));
  server.close();
});

test('an unresolved name and an unreachable server return an error', async () => {
  const failing = () => Promise.reject(new Error('no such name'));
  const endless = () => new Promise<never>(() => {});
  expect(await get('http://issuer.test/', { resolve: failing })).toEqual(rejected('NAME_NOT_RESOLVED'));
  expect(await get('http://issuer.test/', { resolve: async () => [] })).toEqual(rejected('NAME_NOT_RESOLVED'));
  expect(await get('http://issuer.test/', { resolve: endless, requestTimeoutMillis: 50 })).toEqual(
    rejected('TIMED_OUT'),
  );
  expect(await get('http://127.0.0.1:1/')).toEqual(rejected('CONNECTION_FAILED'));
});

testWith('openssl')('HTTPS certificates are checked against the name, not the address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const [keyPath, certPath] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=issuer.test', '-addext', 'subjectAltName=DNS:issuer.test'];
  execFileSync('openssl', [...request, ...subject, '-keyout', keyPath, '-out', certPath], { stdio: 'ignore' });
  const [key, ca] = [readFileSync(keyPath, 'utf8'), readFileSync(certPath, 'utf8')];
  rmSync(folder, { recursive: true });
  const server = createHttpsServer({ key, cert: ca }, json);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (host: string, trust: Partial<Guard>) =>
    get(`https://${host}:${port}/`, { resolve: loopback, allowHttp: false, allowedHosts: [host], ...trust });
  expect(await ask('issuer.test', { ca })).toMatchObject({ kind: 'answer' });
  expect(await ask('issuer.test', {})).toEqual(rejected('CONNECTION_FAILED'));
  expect(await ask('other.test', { ca })).toEqual(rejected('CONNECTION_FAILED'));
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  expect(await ask('issuer.test', {})).toEqual(rejected('CONNECTION_FAILED'));
  vi.unstubAllEnvs();
  server.close();
});
