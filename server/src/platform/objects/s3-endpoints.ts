// Nodes of one S3 cluster: failover between endpoints that serve the same objects. A failed node is skipped until a
// probe reaches it again.
import { setTimeout as delay } from 'node:timers/promises';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type Guard, unguarded } from '../circuit-breaker.ts';
import type { StoreNode } from './object-store.ts';
import { isNodeDown, isWorthRetrying, statusOf, toS3StoreError } from './s3-errors.ts';

export type S3Connection = {
  /** Endpoints of one cluster, preferred first. */
  readonly endpoints: readonly string[];
  readonly bucket: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly timeouts?: { readonly connectMs?: number; readonly idleMs?: number; readonly probeMs?: number };
  /** Pause between probes of a failed node. */
  readonly reprobeMs?: number;
  /** Wraps each operation with all its attempts. */
  readonly guard?: Guard;
};

type Node = { readonly name: string; readonly client: S3Client; online: boolean };

const silent = () => undefined;
const noLogger = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

const leastAttempts = 3;
const retryDelayMs = 100;

export function toS3Client(connection: S3Connection, endpoint: string): S3Client {
  const { connectMs = 3000, idleMs = 30_000 } = connection.timeouts ?? {};
  return new S3Client({
    endpoint,
    region: connection.region,
    credentials: { ...connection.credentials },
    forcePathStyle: true,
    // The default logger writes to the console.
    logger: noLogger,
    // Retries are made here, because they may use another node.
    maxAttempts: 1,
    // The default trailing checksums need a streaming form that Ceph 16 rejects with 411.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      httpAgent: { keepAlive: true, maxSockets: 512 },
      httpsAgent: { keepAlive: true, maxSockets: 512 },
    },
  });
}

export class S3Endpoints implements Disposable {
  readonly #nodes: readonly Node[];
  readonly #bucket: string;
  readonly #probeMs: number;
  readonly #reprobeMs: number;
  readonly #guard: Guard;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(connection: S3Connection) {
    this.#nodes = connection.endpoints.map(endpoint => ({
      name: new URL(endpoint).host,
      client: toS3Client(connection, endpoint),
      online: true,
    }));
    this.#bucket = connection.bucket;
    this.#probeMs = connection.timeouts?.probeMs ?? 3000;
    this.#reprobeMs = connection.reprobeMs ?? 5000;
    this.#guard = connection.guard ?? unguarded;
  }

  /** Runs the work with retries and failover. It must be safe to repeat. `attempt` counts from 1. */
  run<T>(work: (client: S3Client, attempt: number) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#guard(() => this.#attempt(work, signal));
  }

  async #attempt<T>(work: (client: S3Client, attempt: number) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const attempts = Math.max(leastAttempts, this.#nodes.length + 1);
    const tried = new Set<Node>();
    for (let attempt = 1; ; attempt += 1) {
      const node = this.#pick(tried);
      tried.add(node);
      try {
        return await work(node.client, attempt);
      } catch (error) {
        this.#noteFailure(node, error);
        if (signal?.aborted || attempt >= attempts || !isWorthRetrying(error)) throw error;
        if (tried.size < this.#nodes.length) continue;
        tried.clear();
        await delay(retryDelayMs * 2 ** attempt);
      }
    }
  }

  /**
   * Runs work that cannot be repeated because its bytes are consumed. Unguarded, since the sender may be what fails.
   */
  async runOnce<T>(work: (client: S3Client) => Promise<T>): Promise<T> {
    const node = this.#pick(new Set());
    try {
      return await work(node.client);
    } catch (error) {
      this.#noteFailure(node, error);
      throw error;
    }
  }

  /** The preferred endpoint that is online, for clients. */
  get reachable(): S3Client {
    return this.#pick(new Set()).client;
  }

  #pick(tried: ReadonlySet<Node>): Node {
    const rest = this.#nodes.filter(node => !tried.has(node));
    const picked = rest.find(node => node.online) ?? rest[0] ?? this.#nodes[0];
    if (picked === undefined) throw new Error('an S3 store needs at least one endpoint');
    return picked;
  }

  #noteFailure(node: Node, error: unknown): void {
    if (!isNodeDown(error)) return;
    node.online = false;
    this.#reprobeLater();
  }

  #reprobeLater(): void {
    if (this.#timer !== undefined || this.#disposed) return;
    this.#timer = setTimeout(async () => {
      await Promise.all(this.#nodes.filter(node => !node.online).map(node => this.#probe(node)));
      this.#timer = undefined;
      if (this.#nodes.some(node => !node.online)) this.#reprobeLater();
    }, this.#reprobeMs);
    this.#timer.unref();
  }

  async #probe(node: Node): Promise<void> {
    const abortSignal = AbortSignal.timeout(this.#probeMs);
    try {
      await node.client.send(new HeadBucketCommand({ Bucket: this.#bucket }), { abortSignal });
      node.online = true;
    } catch (error) {
      node.online = (statusOf(error) ?? 500) < 500;
    }
  }

  async probe(): Promise<readonly StoreNode[]> {
    await Promise.all(this.#nodes.map(node => this.#probe(node)));
    if (this.#nodes.some(node => !node.online)) this.#reprobeLater();
    return this.#nodes.map(({ name, online }) => ({ name, online }));
  }

  /** Rejects with one sentence if no node serves the bucket. */
  async requireBucket(): Promise<void> {
    await this.run(client => client.send(new HeadBucketCommand({ Bucket: this.#bucket }))).catch(error => {
      if (statusOf(error) !== 404) throw toS3StoreError(error);
      const noBucket = Object.assign(new Error('HeadBucket answered 404', { cause: error }), { name: 'NoSuchBucket' });
      throw toS3StoreError(noBucket);
    });
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    for (const node of this.#nodes) node.client.destroy();
  }
}
