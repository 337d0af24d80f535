// Who listens to which channel, over one Redis connection that is allowed to break: every return of the connection
// subscribes anew and tells the listeners that there was a gap.

import { type Redis, ReplyError } from 'ioredis';
import type { LogPort } from '../log-port.ts';
import { callHandler, type MessageHandler, type Unsubscribe } from './cluster.ts';

type Subscriber = { readonly handler: MessageHandler; readonly onGap: (() => void) | undefined };

// A listening connection is silent by nature, so that only a question shows whether the other side is still there.
const heartbeatMs = 15_000;

export class RedisSubscriptions {
  readonly #listener: Redis;
  readonly #prefix: string;
  readonly #log: LogPort;
  readonly #channels = new Map<string, Set<Subscriber>>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(listener: Redis, prefix: string, log: LogPort) {
    this.#listener = listener;
    this.#prefix = prefix;
    this.#log = log;
    listener.on('message', (channel, message) => this.#deliver(channel, message));
    listener.on('ready', () => void this.#resubscribe());
    this.#heartbeat = setInterval(() => {
      if (listener.status === 'ready') listener.ping().catch(() => {});
    }, heartbeatMs);
    this.#heartbeat.unref();
  }

  /**
   * Resolves when the messages flow, or at once when Redis is away: they will as soon as it is back.
   * Throws when Redis is there and refuses.
   */
  async add(channel: string, handler: MessageHandler, onGap: (() => void) | undefined): Promise<Unsubscribe> {
    const subscriber = { handler, onGap };
    const name = this.#prefix + channel;
    const subscribers = this.#channels.get(name) ?? new Set();
    this.#channels.set(name, subscribers.add(subscriber));
    try {
      if (this.#listener.status === 'ready') await this.#listener.subscribe(name);
    } catch (error) {
      if (isRefusal(error)) {
        this.#remove(name, subscriber);
        throw error;
      }
      this.#listener.disconnect(true);
    }
    return () => this.#remove(name, subscriber);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#channels.clear();
    this.#listener.disconnect();
  }

  #remove(name: string, subscriber: Subscriber): void {
    const subscribers = this.#channels.get(name);
    if (!subscribers?.delete(subscriber) || subscribers.size > 0) return;
    this.#channels.delete(name);
    if (this.#listener.status === 'ready') this.#listener.unsubscribe(name).catch(() => {});
  }

  #deliver(name: string, message: string): void {
    for (const { handler } of [...(this.#channels.get(name) ?? [])]) callHandler(handler, message, this.#log);
  }

  async #resubscribe(): Promise<void> {
    const names = [...this.#channels.keys()];
    if (names.length === 0) return;
    try {
      await this.#listener.subscribe(...names);
    } catch (error) {
      // To be connected and not subscribed would be silence for ever: a new connection tries again,
      // unless Redis said no, which it would only say again.
      if (isRefusal(error)) this.#log.warn({ reason: error.message }, 'Redis refuses the subscriptions');
      else this.#listener.disconnect(true);
      return;
    }
    for (const name of names) {
      for (const { onGap } of this.#channels.get(name) ?? []) callHandler(() => onGap?.(), '', this.#log);
    }
  }
}

// The client's own types leave its error class untyped.
const isRefusal = (error: unknown): error is Error => error instanceof ReplyError;
