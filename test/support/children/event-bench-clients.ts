// Thousands of listeners in one process: bare connections that record when which named event arrived, and its id.
import { connect, type Socket } from 'node:net';
import { tell } from '../child.ts';

export type BenchClientsOrder =
  /** The listeners share the tokens evenly; without tokens they are anonymous. */
  | { readonly kind: 'begin'; readonly url: string; readonly tokens: readonly string[]; readonly streams: number }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  /** Resolves when every listener, or those of one token, has had all of these. */
  | { readonly kind: 'await'; readonly titles: readonly string[]; readonly token?: number };
export type BenchClientsAnswer =
  | { readonly kind: 'opened'; readonly seconds: number; readonly failed: number }
  | { readonly kind: 'closed' }
  /**
   * For each title, the arrival time at each listener; and the number of listeners that had one twice, or one not meant
   * for them.
   */
  | { readonly kind: 'arrived'; readonly at: readonly (readonly string[])[]; readonly strange: number };

const connectingAtOnce = 500;
let server: { readonly hostname: string; readonly port: number };
let tokens: readonly string[] = [];
let listeners: readonly Listener[] = [];
let arrived = (): void => {};

class Listener {
  readonly token: number;
  readonly arrivals = new Map<string, bigint>();
  twice = 0;
  #lastId: string | undefined;
  #rest = '';
  #socket: Socket | undefined;

  constructor(index: number) {
    this.token = tokens.length === 0 ? -1 : index % tokens.length;
  }

  /** Resolves when the stream has greeted. */
  open(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(server.port, server.hostname);
    this.#socket = socket;
    this.#rest = '';
    socket.on('error', () => resolve(false)).on('close', () => resolve(false));
    socket.setEncoding('latin1').on('data', (text: unknown) => {
      this.#take(String(text));
      resolve(true);
    });
    const headers = [
      'GET /api/v1/sse/connect HTTP/1.1',
      'Host: bench',
      ...(this.token < 0 ? [] : [`Authorization: Bearer ${tokens[this.token]}`]),
      ...(this.#lastId === undefined ? [] : [`Last-Event-ID: ${this.#lastId}`]),
    ];
    socket.write(`${headers.join('\r\n')}\r\n\r\n`);
    return promise;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #take(text: string): void {
    const now = process.hrtime.bigint();
    const messages = (this.#rest + text).split('\n\n');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) {
      const id = /^id: (\d+)$/m.exec(message)?.[1];
      if (id !== undefined) this.#lastId = id;
      const title = /"title":"([^"]*)"/.exec(message)?.[1];
      if (title === undefined) continue;
      if (this.arrivals.has(title)) this.twice += 1;
      this.arrivals.set(title, now);
      arrived();
    }
  }
}

async function openAll(): Promise<BenchClientsAnswer> {
  const started = performance.now();
  const waiting = [...listeners];
  let failed = 0;
  const lane = async () => {
    for (let listener = waiting.pop(); listener; listener = waiting.pop()) if (!(await listener.open())) failed += 1;
  };
  await Promise.all(Array.from({ length: connectingAtOnce }, lane));
  return { kind: 'opened', seconds: (performance.now() - started) / 1000, failed };
}

async function awaitAll(titles: readonly string[], token: number | undefined): Promise<BenchClientsAnswer> {
  const concerned = token === undefined ? listeners : listeners.filter(listener => listener.token === token);
  const isThere = () => concerned.every(({ arrivals }) => titles.every(title => arrivals.has(title)));
  while (!isThere()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wanted = concerned.reduce(
      (sum, { arrivals }) => sum + titles.filter(title => !arrivals.has(title)).length,
      0,
    );
    let missing = wanted;
    arrived = () => {
      missing -= 1;
      if (missing <= 0) resolve();
    };
    await promise;
  }
  arrived = () => {};
  const at = titles.map(title => concerned.map(({ arrivals }) => String(arrivals.get(title))));
  const others = token === undefined ? [] : listeners.filter(listener => listener.token !== token);
  const strange =
    listeners.reduce((sum, { twice }) => sum + twice, 0) +
    others.reduce((sum, { arrivals }) => sum + titles.filter(title => arrivals.has(title)).length, 0);
  return { kind: 'arrived', at, strange };
}

process.on('message', async text => {
  const order = JSON.parse(String(text)) as BenchClientsOrder;
  if (order.kind === 'begin') {
    const { hostname, port } = new URL(order.url);
    server = { hostname, port: Number(port) };
    tokens = order.tokens;
    listeners = Array.from({ length: order.streams }, (_, index) => new Listener(index));
    tell('ready');
  }
  if (order.kind === 'open') tell(await openAll());
  if (order.kind === 'await') tell(await awaitAll(order.titles, order.token));
  if (order.kind === 'close') {
    for (const listener of listeners) listener.close();
    tell({ kind: 'closed' } satisfies BenchClientsAnswer);
  }
});
