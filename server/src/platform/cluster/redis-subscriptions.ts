// Channel subscriptions over one Redis connection: each reconnection subscribes again and reports a gap to the
// listeners.

import { type Redis, ReplyError } from 'ioredis';
import type { LogPort } from '../log-port.ts';
import { callHandler, type MessageHandler, type Unsubscribe } from './cluster.ts';

type Subscriber = { readonly handler: MessageHandler; readonly onGap: (() => void) | undefined };

// A subscribed connection is normally silent, so only a ping shows whether the peer is alive.
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
   * Resolves once messages flow, or at once while Redis is unavailable: the reconnection subscribes. Throws if Redis
   * rejects the subscription.
   */
  async add(channel: string, handler: MessageHandler, onGap: (() => void) | undefined): Promise<Unsubscribe> {
    const subscriber = { handler, onGap };
    const name = this.#prefix + channel;
    const subscribers = this.#channels.get(name) ?? new Set();
    this.#channels.set(name, subscribers.add(subscriber));
    try {
      if (this.#listener.status === 'ready') await this.#listener.subscribe(name);
    } catch (error) {
      if (isRejection(error)) {
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
      // A connection without subscriptions would stay silent forever, so it is renewed, unless Redis rejected them and
      // would again.
      if (isRejection(error)) this.#log.warn({ reason: error.message }, 'Redis rejected the subscriptions');
      else this.#listener.disconnect(true);
      return;
    }
    for (const name of names) {
      for (const { onGap } of this.#channels.get(name) ?? []) callHandler(() => onGap?.(), '', this.#log);
    }
  }
}

// The client's types leave its error class untyped.
const isRejection = (error: unknown): error is Error => error instanceof ReplyError;
