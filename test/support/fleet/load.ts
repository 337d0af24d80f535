// Load of typical use, by our own client with its retries: single files, many in one call, files in parts through the
// server and directly, new versions, shares, one-time tokens, deletions, an open event stream. Records everything that
// was acknowledged, and every error that remained after all retries.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueStreamToken } from '@recordproof/shared/api/auth.ts';
import { openClient, toError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import { openShare } from '@recordproof/shared/api/share-access.ts';
import { createShare, shareTypes } from '@recordproof/shared/api/shares.ts';
import { followEvents } from '@recordproof/shared/api/sse.ts';
import type { UploadResult } from '@recordproof/shared/api/uploads.ts';
import { type BulkHttp, openBulkHttp } from '@recordproof/shared/node/bulk-http.ts';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import { type HashPool, openHashPool } from '@recordproof/shared/node/hash-pool.ts';
import { openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import { uploadBulk } from '@recordproof/shared/transfer/bulk-upload.ts';
import { HttpBroken, type Server, systemClock } from '@recordproof/shared/transfer/ports.ts';
import { defaultRetryPolicy, withRetries } from '@recordproof/shared/transfer/retry.ts';
import { uploadFile } from '@recordproof/shared/transfer/upload.ts';
import { Person } from '../app.ts';
import { pattern } from '../bytes.ts';
import { open as openStream } from '../event-streams.ts';
import { digestOf, toForm } from '../uploads.ts';

type Stored = Pick<UploadResult, 'fileId' | 'fileHash' | 'contentHash'>;

const chunkSize = 64 * 1024;
const inBulk = 8;

export class FleetLoad implements AsyncDisposable {
  /** In the order of their answers. */
  readonly stored: Stored[] = [];
  readonly deleted = new Set<string>();
  readonly shareCodes: string[] = [];
  /** Ids of the files in the events of the stream. */
  readonly told: string[] = [];
  /** Errors that remained after all retries. */
  readonly errors: unknown[] = [];
  /** The number of tokens that opened two streams. */
  tokensUsedTwice = 0;
  tokens = 0;
  tries = 0;
  readonly #alice: Person;
  readonly #server: Server;
  readonly #http: BulkHttp;
  readonly #pool: HashPool;
  readonly #folder: string;
  readonly #stopping = new AbortController();
  #isOver = false;
  #seed: number;
  #lanes: Promise<void>[] = [];
  #following: Promise<void> | undefined;

  private constructor(alice: Person, folder: string, firstSeed: number) {
    this.#alice = alice;
    this.#seed = firstSeed;
    this.#folder = folder;
    this.#server = { client: alice.client, baseUrl: alice.baseUrl, token: async () => alice.token };
    this.#http = openBulkHttp();
    this.#pool = openHashPool({ size: 1 });
  }

  /** The same number gives the same content. */
  static async start(alice: Person, number = 0): Promise<FleetLoad> {
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-load-'));
    await mkdir(join(folder, 'journals'));
    const load = new FleetLoad(alice, folder, number * 100_000);
    // The stream does not report files that are stored before it is open.
    const { promise: isOpen, resolve } = Promise.withResolvers<void>();
    load.#following = load.#follow(resolve).finally(resolve);
    await isOpen;
    const lanes = [load.#single, load.#bulk, load.#proxied, load.#direct, load.#versions, load.#share, load.#token];
    load.#lanes = lanes.map(lane => load.#repeat(lane));
    return load;
  }

  /** Lets each lane finish its current operation. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#lanes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#stopping.abort();
    await this.#following;
    this.#http[Symbol.dispose]();
    await this.#pool[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #repeat(step: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      try {
        await step();
      } catch (error) {
        this.errors.push(error);
        await systemClock.sleep(100);
      }
    }
  }

  #patiently<T>(what: string, work: () => Promise<T>): Promise<T> {
    const onRetry = () => {
      this.tries += 1;
    };
    const { signal } = this.#stopping;
    return withRetries({ clock: systemClock, policy: defaultRetryPolicy, signal, onRetry }, what, work);
  }

  async #newContent(size: number): Promise<{ readonly bytes: Buffer; readonly seed: number }> {
    this.#seed += 1;
    const seed = this.#seed;
    return { bytes: await pattern(size + (seed % 1000), seed), seed };
  }

  readonly #single = async (): Promise<void> => {
    const { bytes, seed } = await this.#newContent(3000);
    const headers = { 'idempotency-key': `single-${seed}` };
    const answer = await this.#patiently('a file', async () => {
      const body = toForm('file', bytes, {}, {}, `single-${seed}.pdf`);
      const response = await this.#alice.fetch('/api/v1/files/upload', { method: 'POST', headers, body }).catch(broken);
      if (!response.ok) throw await toError(response);
      return (await response.json()) as { data: UploadResult };
    });
    this.#note(answer.data, bytes);
  };

  readonly #bulk = async (): Promise<void> => {
    const contents = await Promise.all(Array.from({ length: inBulk }, () => this.#newContent(900)));
    const bytesOf = (index: number): Buffer => contents[index]?.bytes ?? Buffer.alloc(0);
    const files = contents.map(({ bytes, seed }) => ({
      fileName: `bulk-${seed}.txt`,
      fileSize: bytes.length,
      contentHash: digestOf(bytes),
    }));
    const read = async function* (index: number): AsyncGenerator<Uint8Array> {
      yield bytesOf(index);
    };
    const request = { requestId: crypto.randomUUID(), files, read };
    const results = await uploadBulk(request, { server: this.#server, http: this.#http });
    for (const [index, result] of results.entries()) {
      if (result.status !== 'STORED') this.errors.push(new Error(`${result.code} ${result.message}`));
      else this.#note(result, bytesOf(index));
    }
  };

  readonly #proxied = () => this.#upload('proxied').then(() => undefined);
  readonly #direct = () => this.#upload('direct').then(() => undefined);

  readonly #versions = async (): Promise<void> => {
    let newest = await this.#upload('proxied');
    for (let version = 2; version <= 5; version += 1) newest = await this.#upload('proxied', newest.fileId);
  };

  async #upload(mode: 'proxied' | 'direct', targetFileId?: string): Promise<Stored> {
    const { bytes, seed } = await this.#newContent(3 * chunkSize);
    const path = join(this.#folder, `${mode}-${seed}`);
    await writeFile(path, bytes);
    await using source = await openFileSource(path, this.#pool);
    const key = { server: this.#server.baseUrl, account: 'alice', path };
    await using journal = openUploadJournal(join(this.#folder, 'journals'), key);
    const request = { source, mode, chunkSize, jobs: 2, ...(targetFileId !== undefined && { targetFileId }) };
    const result = await uploadFile(request, { server: this.#server, http: this.#http, journal });
    await rm(path);
    return this.#note(result, bytes);
  }

  /** Shares a file, opens the share with another account, and deletes the file. */
  readonly #share = async (): Promise<void> => {
    const file = this.stored.find(({ fileHash }) => !this.deleted.has(fileHash));
    if (file === undefined) return systemClock.sleep(50);
    const body = { fileHash: [file.fileHash], expireMinutes: 60, shareType: shareTypes.PUBLIC };
    const { shareCode } = await this.#patiently('a share', () => this.#alice.call(createShare, { body }));
    this.shareCodes.push(shareCode);
    const stranger = new Person('stranger', this.#alice.baseUrl);
    const opened = await this.#patiently('opening', () =>
      stranger.call(openShare, { params: { code: shareCode }, body: {} }),
    );
    if (opened.files[0]?.fileHash !== file.fileHash) this.errors.push(new Error(`${shareCode} opens something else`));
    await this.#delete(file.fileHash);
  };

  /** The retry of a deletion whose answer was lost finds nothing to delete. */
  async #delete(fileHash: string): Promise<void> {
    let tries = 0;
    await this.#patiently('deleting', async () => {
      tries += 1;
      try {
        await this.#alice.call(deleteFile, { params: { hash: fileHash } });
      } catch (error) {
        if (!(tries > 1 && error instanceof ApiError && error.kind === 'FILE_NOT_EXIST')) throw error;
      }
    });
    this.deleted.add(fileHash);
  }

  /** Two concurrent attempts, on different servers: at most one of them gets a stream. */
  readonly #token = async (): Promise<void> => {
    const { sseToken: token } = await this.#patiently('a token', () => this.#alice.call(issueStreamToken));
    const tries = await Promise.allSettled([0, 1].map(() => openStream(this.#alice.baseUrl, { query: { token } })));
    const streams = tries.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    this.tokens += 1;
    if (streams.length > 1) this.tokensUsedTwice += 1;
    for (const stream of streams) stream[Symbol.dispose]();
    await systemClock.sleep(200);
  };

  async #follow(onOpen: () => void): Promise<void> {
    const { baseUrl } = this.#alice;
    const client = openClient({ baseUrl, token: () => this.#alice.token, timeoutMs: 10_000 });
    const options = { client, signal: this.#stopping.signal, firstPauseMs: 100 };
    try {
      for await (const event of followEvents(options)) {
        if (event.type === 'connected') onOpen();
        if (event.type === 'connected' && event.payload.missed) this.errors.push(new Error('the stream missed events'));
        if (event.type === 'file-recorded') this.told.push(event.payload.fileId);
      }
    } catch (error) {
      this.errors.push(error);
    }
  }

  #note({ fileId, fileHash, contentHash }: Stored, bytes: Uint8Array): Stored {
    if (contentHash !== digestOf(bytes)) this.errors.push(new Error(`file ${fileId} has other bytes`));
    const stored = { fileId, fileHash, contentHash };
    this.stored.push(stored);
    return stored;
  }
}

/** The typed client's name for a broken connection. */
const broken = (cause: unknown): never => {
  throw new HttpBroken('no answer', cause);
};
