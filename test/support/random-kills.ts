// Uploads and completes continuously, while its server is killed at random times. Records everything that was
// acknowledged, and reads all of it afterwards.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import { TransportError } from '@recordproof/shared/api/client.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { expect } from 'vitest';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import type { Person } from './app.ts';
import { pattern } from './bytes.ts';
import type { Installation } from './installation.ts';
import { completeDirect, digestOf, putSigned, sendFile, sendProxied, startDirect } from './uploads.ts';

const leaseMs = 120_000;
const hourMs = 3600_000;
const dayMs = 24 * hourMs;
const chunkSize = 20_000;
const shortestSpanMs = 700;

export type Acknowledged = { readonly fileHash: string; readonly contentHash: string };
type Open = { readonly clientId: string; readonly seed: number; readonly kind: 'proxied' | 'direct' };

const contentOf = (seed: number): Promise<Buffer> => pattern(1 + ((seed * 7919) % 90_000), seed);

/** A client that uploads until the server is gone. */
export type KilledClient = {
  readonly acknowledged: readonly Acknowledged[];
  /** After this number of uploads it is in the middle of its work. */
  readonly warm: number;
  /** Ends with the failure of a call that the server dies during. */
  work(alice: Person): Promise<void>;
};

/** Sends in chunks and directly, and sometimes a whole file, one after the other. */
export class SessionClient implements KilledClient {
  readonly acknowledged: Acknowledged[] = [];
  readonly warm = 5;
  readonly #open: Open[] = [];
  #seed = 0;

  async work(alice: Person): Promise<void> {
    for (const upload of [...this.#open]) await this.#finish(alice, upload);
    for (;;) {
      this.#seed += 1;
      const seed = this.#seed;
      if (seed % 5 === 0) await this.#sendWhole(alice, seed);
      else {
        const kind = seed % 2 === 0 ? 'direct' : 'proxied';
        const upload = { clientId: `upload-${seed}`, seed, kind } as const;
        this.#open.push(upload);
        await this.#finish(alice, upload);
      }
    }
  }

  async #sendWhole(alice: Person, seed: number): Promise<void> {
    const bytes = await contentOf(seed);
    const { status, data, message } = await sendFile(alice, bytes);
    expect(status, message).toBe(200);
    this.#note(data, bytes);
  }

  async #finish(alice: Person, upload: Open): Promise<void> {
    const bytes = await contentOf(upload.seed);
    const sending = { chunkSize, clientId: upload.clientId };
    const isOver = await isCompleted(alice, upload.clientId);
    if (upload.kind === 'proxied') {
      if (!isOver) await sendProxied(alice, bytes, sending);
      const params = { clientId: upload.clientId };
      this.#note(await alice.call(sessionApi.completeUploadSession, { params }), bytes);
    } else {
      const { parts } = isOver ? { parts: [] } : await startDirect(alice, bytes, sending);
      for (const part of parts.filter(({ uploaded }) => !uploaded)) {
        const answer = await putSigned(part, bytes.subarray(part.index * chunkSize, (part.index + 1) * chunkSize));
        expect(answer.status, await answer.text()).toBe(200);
      }
      this.#note(await completeDirect(alice, upload.clientId), bytes);
    }
    this.#open.splice(this.#open.indexOf(upload), 1);
  }

  #note({ fileHash, contentHash }: Acknowledged, bytes: Uint8Array): void {
    expect(contentHash).toBe(digestOf(bytes));
    this.acknowledged.push({ fileHash, contentHash });
  }
}

async function isCompleted(alice: Person, clientId: string): Promise<boolean> {
  const known = await alice.call(chunkedApi.checkUpload, { query: { clientId } }).catch(error => {
    if (error.kind === 'UPLOAD_SESSION_NOT_FOUND') return null;
    throw error;
  });
  return known !== null && (known.status === 'COMPLETED' || known.status === 'FINALIZING');
}

export async function killAtRandom(
  installation: Installation,
  kills: number,
  client: KilledClient,
): Promise<{ acknowledged: number }> {
  let aheadMs = 0;
  let spanMs = shortestSpanMs;
  for (let kill = 0; kill < kills; kill += 1) {
    const server = await installation.start(aheadMs);
    const alice = await server.admin();
    const started = performance.now();
    const ended = client.work(alice).then(
      () => new Error('the client stopped by itself'),
      (error: Error) => error,
    );
    if (kill > 0) await sleep(randomInt(0, spanMs));
    else spanMs = Math.max(shortestSpanMs, await firstWorkMs(client, started));
    await server.child.kill();
    const failure = await ended;
    if (!isLostAnswer(failure)) throw failure;
    aheadMs += leaseMs;
  }
  await drainAt(installation, aheadMs + 4 * dayMs);
  await drainAt(installation, aheadMs + 4 * dayMs + hourMs); // the next sweep of uploads that the kills interrupted
  await installation.checkEverything();
  await checkNothingOpen(installation);
  await checkAcknowledged(installation, client.acknowledged);
  return { acknowledged: client.acknowledged.length };
}

async function drainAt(installation: Installation, aheadMs: number): Promise<void> {
  const server = await installation.start(aheadMs);
  await server.tell('drain');
  await server.stop();
}

/** The errors of a server that dies during a call. Any other unsuccessful answer is a failure of its own. */
const isLostAnswer = (failure: Error): boolean =>
  failure instanceof TransportError || (failure instanceof TypeError && failure.cause !== undefined);

/** The time that this machine takes for some uploads: the others are killed within it. */
async function firstWorkMs({ acknowledged, warm }: KilledClient, started: number): Promise<number> {
  await expect.poll(() => acknowledged.length, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(warm);
  return Math.ceil(performance.now() - started);
}

/** Days after the last kill, with all due work done, no upload is still being completed or undone. */
async function checkNothingOpen({ config }: Installation): Promise<void> {
  const database = await openDatabase(config.db);
  const open = await database.db
    .selectFrom('saga')
    .select(['id', 'kind', 'status', 'last_error'])
    .where('ended_at', 'is', null)
    .execute();
  await database.close();
  expect(open, 'open sagas').toEqual([]);
}

/** `checkEverything` has read every live file; here: everything acknowledged is among them. */
async function checkAcknowledged({ config }: Installation, acknowledged: readonly Acknowledged[]): Promise<void> {
  const database = await openDatabase(config.db);
  const files = await database.db.selectFrom('file').select(['file_hash', 'content_hash', 'status']).execute();
  await database.close();
  const live = new Map(files.filter(file => file.status === 1).map(file => [file.file_hash, file.content_hash]));
  for (const { fileHash, contentHash } of acknowledged) expect(live.get(fileHash)).toBe(contentHash);
}
