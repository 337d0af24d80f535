// A listener to the event stream, with a connection of its own, that keeps all events.
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { issueStreamToken } from '@recordproof/shared/api/auth.ts';
import { parseStreamMessage, type StreamMessage, type StreamType } from '@recordproof/shared/api/events.ts';
import { createParser } from 'eventsource-parser';
import type { Person } from './app.ts';

export type Listener = Disposable & {
  readonly headers: IncomingMessage['headers'];
  /** All messages so far, including heartbeats. */
  readonly messages: readonly StreamMessage[];
  /** The ids of the messages, in their order. */
  readonly ids: readonly string[];
  /** The first message of the type, as soon as it arrives. Rejects when the stream ends before. */
  until<T extends StreamType>(type: T, matches?: (message: StreamMessage) => boolean): Promise<StreamMessage>;
  /** Resolves with the last message when the server has closed the connection. */
  readonly closed: Promise<StreamMessage | undefined>;
  /** Stops reading, as a client that hangs. */
  stopReading(): void;
};

export type ListenOptions = {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Error of a rejected stream, with the response. */
export class StreamRejected extends Error {
  readonly status: number;
  readonly code: number;
  readonly retryAfter: string | undefined;

  constructor(response: IncomingMessage, body: string) {
    super(body);
    this.status = response.statusCode ?? 0;
    this.code = (JSON.parse(body) as { code: number }).code;
    this.retryAfter = response.headers['retry-after'];
  }
}

const connectPath = '/api/v1/sse/connect';

/** With the login token in the header. */
export const listen = (person: Person, options: ListenOptions = {}): Promise<Listener> =>
  open(person.baseUrl, {
    ...options,
    headers: { ...(person.token && { authorization: `Bearer ${person.token}` }), ...options.headers },
  });

/** As a browser does, with a token of its own in the address. */
export async function listenAsBrowser(person: Person, options: ListenOptions = {}): Promise<Listener> {
  const { sseToken } = await person.call(issueStreamToken);
  return open(person.baseUrl, { ...options, query: { token: sseToken, ...options.query } });
}

export async function open(baseUrl: string, { query = {}, headers = {} }: ListenOptions): Promise<Listener> {
  const url = `${baseUrl}${connectPath}?${new URLSearchParams(query)}`;
  const request = get(url, { agent: false, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) {
    let body = '';
    for await (const block of response) body += block;
    throw new StreamRejected(response, body);
  }
  const listener = keep(request, response);
  await listener.until('connected');
  return listener;
}

function keep(request: ClientRequest, response: IncomingMessage): Listener {
  const messages: StreamMessage[] = [];
  const ids: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  const parser = createParser({
    onEvent({ data, id }) {
      const message = parseStreamMessage(data, id);
      if (!message) throw new Error(`this is no message of the contract: ${data}`);
      messages.push(message);
      if (id !== undefined) ids.push(id);
    },
  });
  response.setEncoding('utf8').on('data', (text: string) => {
    parser.feed(text);
    wake();
  });
  response.on('error', () => {}); // a reset is a close as well
  const closed = new Promise<StreamMessage | undefined>(resolve => {
    response.once('close', () => {
      resolve(messages.at(-1));
      wake();
    });
  });
  const until: Listener['until'] = (type, matches = () => true) =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = messages.find(message => message.type === type && matches(message));
        if (found === undefined && !response.closed) return;
        waiting.delete(check);
        if (found) resolve(found);
        else reject(new Error(`the stream ended without ${type}: ${JSON.stringify(messages.slice(-3))}`));
      };
      waiting.add(check);
      check();
    });
  return {
    headers: response.headers,
    messages,
    ids,
    until,
    closed,
    stopReading: () => void response.pause(),
    [Symbol.dispose]: () => void request.destroy(),
  };
}
