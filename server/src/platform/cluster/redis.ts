// Cluster over Redis (≥ 6.2). Uses two connections: one for commands, one for subscriptions. Commands fail within
// commandTimeoutMs and are never sent twice.

import { Redis, type RedisOptions } from 'ioredis';
import { CircuitOpenError, type Guard, unguarded } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import {
  type Cluster,
  type ClusterHealth,
  ClusterUnavailable,
  checkCacheKey,
  checkMessage,
  checkTtl,
  checkValue,
  checkWindow,
  type MessageHandler,
  type RateHit,
  type Unsubscribe,
} from './cluster.ts';
import { evalScript, rateScript, uncountScript } from './redis-scripts.ts';
import { RedisSubscriptions } from './redis-subscriptions.ts';

type RedisClusterOptions = {
  readonly url: string;
  readonly log: LogPort;
  /** Prefix of every key and channel, so that several installations can share a Redis. */
  readonly prefix?: string;
  readonly commandTimeoutMs?: number;
  /** Wraps each command, so that nothing waits for an unresponsive Redis. */
  readonly guard?: Guard;
};

const defaultPrefix = 'recordproof:';
const defaultCommandTimeoutMs = 1000;

export class RedisCluster implements Cluster {
  readonly #redis: Redis;
  readonly #listener: Redis;
  readonly #subscriptions: RedisSubscriptions;
  readonly #prefix: string;
  readonly #guard: Guard;

  /** Use `openRedisCluster`. */
  constructor(options: RedisClusterOptions) {
    checkRedisUrl(options.url);
    this.#prefix = options.prefix ?? defaultPrefix;
    this.#guard = options.guard ?? unguarded;
    const settings = toRedisOptions(options.commandTimeoutMs ?? defaultCommandTimeoutMs);
    this.#redis = new Redis(options.url, settings);
    logOutages(this.#redis, options.log);
    this.#listener = new Redis(options.url, settings);
    // The first connection reports outages for both; an error event without a listener would be printed.
    this.#listener.on('error', () => {});
    this.#subscriptions = new RedisSubscriptions(this.#listener, `${this.#prefix}channel:`, options.log);
  }

  /** Resolves when Redis answers or the command timeout is over: the server starts in both cases. */
  async waitForFirstConnection(): Promise<void> {
    await Promise.all([isReady(this.#redis), isReady(this.#listener)]);
  }

  async hit(key: string, limit: number, windowMs: number, nowMs: number): Promise<RateHit> {
    checkCacheKey(key);
    checkWindow(limit, windowMs);
    const args = [String(limit), String(windowMs), String(nowMs)];
    const answer = await this.#command(() => evalScript(this.#redis, rateScript, [`${this.#prefix}rate:${key}`], args));
    const [before, oldestMs] = toNumbers(answer);
    return {
      count: before + 1,
      limit,
      remaining: Math.max(0, limit - before - 1),
      resetAtMs: oldestMs + windowMs,
      allowed: before < limit,
    };
  }

  async uncount(key: string): Promise<void> {
    checkCacheKey(key);
    await this.#command(() => evalScript(this.#redis, uncountScript, [`${this.#prefix}rate:${key}`], []));
  }

  async putOnce(key: string, value: string, ttlMs: number): Promise<boolean> {
    checkCacheKey(key);
    checkValue(value);
    checkTtl(ttlMs);
    return (
      (await this.#command(() => this.#redis.set(`${this.#prefix}once:${key}`, value, 'PX', ttlMs, 'NX'))) === 'OK'
    );
  }

  async take(key: string): Promise<string | null> {
    checkCacheKey(key);
    return await this.#command(() => this.#redis.getdel(`${this.#prefix}once:${key}`));
  }

  async publish(channel: string, message: string): Promise<number> {
    checkCacheKey(channel);
    checkMessage(message);
    return await this.#command(() => this.#redis.publish(`${this.#prefix}channel:${channel}`, message));
  }

  async subscribe(channel: string, handler: MessageHandler, onGap?: () => void): Promise<Unsubscribe> {
    checkCacheKey(channel);
    return await guarded(() => this.#subscriptions.add(channel, handler, onGap));
  }

  async probe(): Promise<ClusterHealth> {
    const startedAt = performance.now();
    try {
      const info = await guarded(() => this.#redis.info('server'));
      const latencyMs = Math.round(performance.now() - startedAt);
      const version = /^redis_version:(\S+)/m.exec(info)?.[1];
      return { mode: 'redis', connected: true, latencyMs, ...(version === undefined ? {} : { version }) };
    } catch {
      return { mode: 'redis', connected: false };
    }
  }

  #command<T>(command: () => Promise<T>): Promise<T> {
    return guarded(() => this.#guard(command));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions.close();
    this.#redis.disconnect();
  }
}

export const openRedisCluster = async (options: RedisClusterOptions): Promise<RedisCluster> => {
  const cluster = new RedisCluster(options);
  await cluster.waitForFirstConnection();
  return cluster;
};

// The client takes any other text for a socket path. The error does not repeat the URL, which may hold a password.
const checkRedisUrl = (text: string): void => {
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === '') {
    throw new RangeError('REDIS_URL must look like redis://user:password@host:6379/0, or rediss:// for TLS');
  }
};

const toRedisOptions = (commandTimeoutMs: number) =>
  ({
    // Without a connection commands fail at once; a broken connection fails those in flight.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    commandTimeout: commandTimeoutMs,
    // An unresponsive connection is dropped, so that the next command fails at once.
    socketTimeout: commandTimeoutMs,
    connectTimeout: commandTimeoutMs,
    keepAlive: 10_000,
    disableClientInfo: true,
    retryStrategy: attempt => Math.min(50 * 2 ** Math.min(attempt, 10), 2000) * (0.75 + Math.random() / 2),
    // After a failover the old master answers like this until the client reconnects.
    reconnectOnError: error => error.message.startsWith('READONLY'),
  }) satisfies RedisOptions;

// The client's errors include commands and arguments, which may be secrets: only the message is kept.
const guarded = async <T>(command: () => Promise<T>): Promise<T> => {
  try {
    return await command();
  } catch (error) {
    if (error instanceof CircuitOpenError) throw new ClusterUnavailable(error.message, error);
    throw new ClusterUnavailable(error instanceof Error ? reasonOf(error) : 'unknown error');
  }
};

const reasonOf = ({ name, message }: Error): string => {
  if (name === 'MaxRetriesPerRequestError') return 'the connection was lost';
  return message.includes('enableOfflineQueue') ? 'Redis is not connected' : message;
};

const toNumbers = (answer: unknown): [number, number] => {
  const [first, second] = Array.isArray(answer) ? answer.map(Number) : [];
  if (first === undefined || second === undefined) throw new ClusterUnavailable('an answer could not be read');
  return [first, second];
};

/** Resolves when the connection is ready or its first attempt has failed. */
const isReady = (redis: Redis): Promise<boolean> => {
  if (redis.status === 'ready') return Promise.resolve(true);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onReady = () => resolve(true);
  const onClose = () => resolve(false);
  redis.once('ready', onReady);
  redis.once('close', onClose);
  return promise.finally(() => {
    redis.off('ready', onReady);
    redis.off('close', onClose);
  });
};

const logOutages = (redis: Redis, log: LogPort): void => {
  let isDown = false;
  const onDown = (reason: string) => {
    if (!isDown) log.warn({ reason }, 'Redis is unavailable; reconnecting');
    isDown = true;
  };
  redis.on('error', error => onDown(error.message));
  redis.on('reconnecting', () => onDown('the connection was lost'));
  redis.on('ready', () => {
    if (isDown) log.info({}, 'Redis is available again');
    isDown = false;
  });
};
