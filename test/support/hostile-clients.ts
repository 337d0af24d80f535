// Hostile and broken clients: they stall, break off, never end, send invalid HTTP, guess. Each act is one connection
// from its begin to its end, whichever side ends it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Target = {
  readonly url: string;
  /** A participating account. */
  readonly token: string;
  /** The path of a large file that the account can download. */
  readonly downloadPath: string;
};

/** The time that the slow clients wait for the server to close the connection. */
const longestMs = 20_000;

async function open({ url }: Target): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

async function untilClosed(socket: Socket): Promise<void> {
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), longestMs);
  if (!socket.destroyed) await new Promise(resolve => socket.once('close', resolve)); // whatever the cause
  clearTimeout(timer);
}

/** A first line, its headers and the empty line after them. */
const head = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

const bearer = ({ token }: Target): string => `Authorization: Bearer ${token}`;
const json = 'Content-Type: application/json';
const form = 'Content-Type: multipart/form-data; boundary=x';
const formHead = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
const upload = 'POST /api/v1/files/upload';

/** Sends this and then nothing more. */
const stall = (words: (target: Target) => string) => async (target: Target) => {
  const socket = await open(target);
  socket.write(words(target));
  await untilClosed(socket);
};

/** Sends this and disconnects. */
const breakOff = (words: (target: Target) => string) => async (target: Target) => {
  const socket = await open(target);
  socket.write(words(target));
  await sleep(20);
  socket.resetAndDestroy();
};

/** Sends this repeatedly. */
const goOn = (words: (target: Target) => string, more: string | Buffer, everyMs: number) => async (target: Target) => {
  const socket = await open(target);
  socket.write(words(target));
  const timer = setInterval(() => socket.write(more), everyMs);
  await untilClosed(socket);
  clearInterval(timer);
};

async function readNothing(target: Target): Promise<void> {
  const socket = await open(target);
  socket.pause();
  socket.write(head(`GET ${target.downloadPath}`, bearer(target)));
  await sleep(500);
  socket.resetAndDestroy();
}

/** Reads its answer, and disconnects. */
const ask = (line: string, headers: readonly string[] = [], body: () => string = () => '') =>
  stall(() => {
    const text = body();
    return head(line, 'Connection: close', `Content-Length: ${text.length}`, ...headers) + text;
  });

const chunkOf64KiB = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 97), Buffer.from('\r\n')]);
const noise = (length: number): string =>
  Array.from({ length }, (_, at) => String.fromCharCode((at * 7919 + length) % 256)).join('');

const acts: Readonly<Record<string, (target: Target) => Promise<void>>> = {
  'stalled login': stall(() => `${head('POST /api/v1/auth/login', json, 'Content-Length: 100')}{`),
  'stalled upload': stall(target => head(upload, bearer(target), form, 'Content-Length: 100000') + formHead),
  'stalled head': stall(() => 'GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nX-A: '),
  'broken off login': breakOff(() => `${head('POST /api/v1/auth/login', json, 'Content-Length: 100')}{`),
  'broken off upload': breakOff(
    target => head(upload, bearer(target), form, 'Content-Length: 100000') + formHead + 'a'.repeat(20_000),
  ),
  'broken off question': breakOff(target => head('GET /api/v1/files', bearer(target))),
  'broken off download': breakOff(target => head(`GET ${target.downloadPath}`, bearer(target))),
  'endless upload': goOn(
    target =>
      `${head(upload, bearer(target), form, 'Transfer-Encoding: chunked')}${formHead.length.toString(16)}\r\n${formHead}\r\n`,
    chunkOf64KiB,
    100,
  ),
  'trickling upload': goOn(target => head(upload, bearer(target), form, 'Content-Length: 100000') + formHead, 'a', 200),
  'endless head': goOn(() => 'GET / HTTP/1.1\r\nHost: x\r\n', `X-A: ${'a'.repeat(1000)}\r\n`, 5),
  'trickling head': goOn(() => 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-A: a\r\n', 300),
  'unread download': readNothing,
  'no HTTP': stall(() => noise(500)),
  'two hosts': stall(() => head('GET /api/v1/auth/me', 'Host: y')),
  'two lengths': stall(() => head('POST /api/v1/auth/login', 'Content-Length: 3', 'Transfer-Encoding: chunked')),
  'a tunnel': stall(() => head('CONNECT example.org:443')),
  'no JSON': ask('POST /api/v1/auth/login', [json], () => '{'),
  'a wrong password': ask('POST /api/v1/auth/login', [json], () =>
    JSON.stringify({ username: `nobody-${Math.random()}`, password: 'a wrong guess' }),
  ),
  'a wrong code': ask(`GET /api/v1/share/${'0'.repeat(12)}/info`),
  'an unsigned part': ask('PUT /api/v1/objects?method=PUT&key=a&size=1&expires=1&signature=a', [], () => 'a'),
  'a wrong token': ask('GET /api/v1/files', ['Authorization: Bearer a.b.c']),
};

/** Acts until told to stop, `clients` of each kind; returns the number of acts of each kind. */
export async function actHostile(
  target: Target,
  clients: number,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const done: Record<string, number> = {};
  const act = async (kind: string, once: (target: Target) => Promise<void>) => {
    while (!signal.aborted) {
      await once(target);
      done[kind] = (done[kind] ?? 0) + 1;
      await sleep(50);
    }
  };
  const all = Object.entries(acts).flatMap(([kind, once]) => Array.from({ length: clients }, () => act(kind, once)));
  await Promise.all(all);
  return done;
}
