// Raw HTTP over a socket, for requests that no client library would send.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

export type RawConnection = Disposable & {
  send(text: string): void;
  /** The next whole answer. */
  answer(): Promise<RawAnswer>;
  /** Resolves when this has arrived. */
  until(words: string): Promise<void>;
  /** Received bytes that no answer has consumed. */
  text(): string;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
};

export async function openRaw(baseUrl: string): Promise<RawConnection> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', block => {
    text += block.toString('latin1');
  });
  socket.on('error', () => undefined); // a reset is a close as well
  const closed = once(socket, 'close').then(() => undefined);
  await once(socket, 'connect');
  return {
    send: more => void socket.write(more),
    answer: () =>
      untilFound(socket, closed, () => {
        const found = parseAnswer(text);
        text = found === null ? text : found.rest;
        return found;
      }),
    until: async words => {
      await untilFound(socket, closed, () => (text.includes(words) ? true : null));
    },
    text: () => text,
    closed,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

async function untilFound<T>(socket: Socket, closed: Promise<void>, read: () => T | null): Promise<T> {
  for (;;) {
    const found = read();
    if (found !== null) return found;
    if (socket.destroyed) throw new Error('the connection ended before that');
    await Promise.race([once(socket, 'data'), closed]);
  }
}

function parseAnswer(text: string): (RawAnswer & { readonly rest: string }) | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  const length = Number(headers.get('content-length') ?? 0);
  const body = text.slice(end + 4);
  if (body.length < length) return null;
  return { status: Number(first.split(' ')[1]), headers, body: body.slice(0, length), rest: body.slice(length) };
}
