// HTTP by hand, for what no client library would send: a connection that says exactly what the test says.
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
      untilWhole(socket, closed, () => {
        const found = parseAnswer(text);
        text = found === null ? text : found.rest;
        return found;
      }),
    closed,
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

async function untilWhole(socket: Socket, closed: Promise<void>, read: () => RawAnswer | null): Promise<RawAnswer> {
  for (;;) {
    const found = read();
    if (found !== null) return found;
    if (socket.destroyed) throw new Error('the connection ended without a whole answer');
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
