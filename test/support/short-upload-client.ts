// Sends whole files and calls with many files, 64 at once, until its server dies, and records what was acknowledged.
// The result of a call with many files whose answer was lost is queried at the next server.
import { expect } from 'vitest';
import type { Person } from './app.ts';
import { pattern } from './bytes.ts';
import type { Acknowledged, KilledClient } from './random-kills.ts';
import { digestOf, sendFile, sendMany } from './uploads.ts';

const atOnce = 64;
const filesPerCall = 8;

type Call = { readonly requestId: string; readonly contents: readonly Buffer[] };

export class ShortUploadClient implements KilledClient {
  readonly acknowledged: Acknowledged[] = [];
  readonly warm = 4 * atOnce;
  readonly #open: Call[] = [];
  #seed = 0;
  #calls = 0;

  async work(alice: Person): Promise<void> {
    await Promise.all(this.#open.splice(0).map(call => this.#sendMany(alice, call)));
    const lanes = Array.from({ length: atOnce }, (_, lane) => this.#goOn(alice, lane));
    const ends = await Promise.allSettled(lanes);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #goOn(alice: Person, lane: number): Promise<never> {
    for (;;) {
      if (lane % 4 === 0) await this.#sendMany(alice, await this.#newCall());
      else await this.#sendOne(alice, await this.#newContent());
    }
  }

  /** All different. */
  #newContent(): Promise<Buffer> {
    this.#seed += 1;
    return pattern(100 + ((this.#seed * 7919) % 30_000), this.#seed);
  }

  async #newCall(): Promise<Call> {
    this.#calls += 1;
    const requestId = `call-${this.#calls}`;
    return { requestId, contents: await Promise.all(Array.from({ length: filesPerCall }, () => this.#newContent())) };
  }

  async #sendOne(alice: Person, bytes: Buffer): Promise<void> {
    const { status, data, message } = await sendFile(alice, bytes);
    expect(status, message).toBe(200);
    this.#note(data, bytes);
  }

  async #sendMany(alice: Person, call: Call): Promise<void> {
    this.#open.push(call);
    const files = call.contents.map(bytes => ({ bytes }));
    const { status, data, message } = await sendMany(alice, files, call.requestId);
    expect(status, message).toBe(200);
    for (const [index, result] of data.results.entries()) {
      if (result.status !== 'STORED') expect.fail(result.message);
      this.#note(result, call.contents[index] as Buffer);
    }
    this.#open.splice(this.#open.indexOf(call), 1);
  }

  #note({ fileHash, contentHash }: Acknowledged, bytes: Uint8Array): void {
    expect(contentHash).toBe(digestOf(bytes));
    this.acknowledged.push({ fileHash, contentHash });
  }
}
