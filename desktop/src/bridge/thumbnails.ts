// Thumbnails of the app. Those of visible files are read in batches; for files that this app uploads or shows first
// they are made here, once, and stored by the server. The last 500 are kept as blob URLs.
import type { Client } from '@recordproof/shared/api/client.ts';
import { mostThumbnails, putThumbnails, readThumbnails } from '@recordproof/shared/api/previews.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { toWait, waitOut } from '@recordproof/shared/transfer/wait.ts';
import type { ThumbnailsBridge, Watched } from './bridge.ts';
import { openWatched } from './watched.ts';

/** Null: it cannot be made of these bytes. */
export type Maker = Disposable & { make(source: Blob | ImageBitmap): Promise<Uint8Array<ArrayBuffer> | null> };

type Ports = { readonly call: Client['call']; readonly openMaker: () => Maker };

/** Undefined until it is known, null where there is none. */
type Entry = ReturnType<typeof openWatched<string | null | undefined>> & { users: number };
type Offer = { readonly fileHash: string; readonly source: Blob | ImageBitmap };

/** Fast scrolling requests nothing. */
const debounceMs = 80;
const mostReads = 2;
const mostKept = 500;

export class Thumbnails implements ThumbnailsBridge {
  readonly #ports: Ports;
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Set<string>();
  readonly #offers = new Map<string, Offer>();
  #reads = 0;
  #isMaking = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Running requests end with the session in which they began. */
  #stop = new AbortController();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  shown(fileHash: string): Watched<string | null | undefined> {
    const entry = this.#entryOf(fileHash);
    return { get: entry.get, watch: changed => this.#watch(fileHash, changed) };
  }

  offer(fileHash: string, source: Blob | ImageBitmap): void {
    if (this.#entries.get(fileHash)?.get() || this.#offers.has(fileHash)) return;
    this.#offers.set(fileHash, { fileHash, source });
    if (!this.#isMaking) void this.#makeAll();
  }

  /** Another user has signed in, or the user has signed out. */
  clear(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#pending.clear();
    this.#offers.clear();
    for (const entry of this.#entries.values()) {
      revoke(entry);
      entry.set(undefined);
    }
  }

  #entryOf(fileHash: string): Entry {
    const existing = this.#entries.get(fileHash);
    if (existing) {
      this.#entries.delete(fileHash);
      this.#entries.set(fileHash, existing); // the least recently used one is last
      return existing;
    }
    const entry = { ...openWatched<string | null | undefined>(undefined), users: 0 };
    this.#entries.set(fileHash, entry);
    this.#forgetOldest();
    return entry;
  }

  #forgetOldest(): void {
    for (const [fileHash, entry] of this.#entries) {
      if (this.#entries.size <= mostKept) return;
      if (entry.users > 0) continue;
      revoke(entry);
      this.#entries.delete(fileHash);
    }
  }

  #watch(fileHash: string, changed: () => void): () => void {
    const entry = this.#entryOf(fileHash);
    entry.users += 1;
    const stop = entry.watch(changed);
    if (entry.get() === undefined) this.#want(fileHash);
    return () => {
      entry.users -= 1;
      stop();
    };
  }

  #want(fileHash: string): void {
    this.#pending.add(fileHash);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#readNext();
    }, debounceMs);
  }

  #readNext(): void {
    for (const fileHash of this.#pending) if (!this.#entries.get(fileHash)?.users) this.#pending.delete(fileHash);
    while (this.#reads < mostReads && this.#pending.size > 0) {
      const some = [...this.#pending].slice(0, mostThumbnails);
      for (const fileHash of some) this.#pending.delete(fileHash);
      this.#reads += 1;
      void this.#read(some, this.#stop.signal).finally(() => {
        this.#reads -= 1;
        this.#readNext();
      });
    }
  }

  /** Without an answer they stay unknown, and are requested when they are shown again. */
  async #read(fileHashes: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      const found = await this.#ports.call(readThumbnails, { body: { fileHashes: [...fileHashes] }, signal });
      if (signal.aborted) return;
      const images = new Map(found.map(one => [one.fileHash, one]));
      for (const fileHash of fileHashes) {
        const one = images.get(fileHash);
        this.#show(fileHash, one ? new Blob([fromBase64(one.image)], { type: one.contentType }) : null);
      }
    } catch (error) {
      const wait = toWait(error);
      if (!wait || signal.aborted) return;
      await waitOut(wait, { clock: systemClock, signal }).catch(() => undefined);
      if (!signal.aborted) for (const fileHash of fileHashes) this.#pending.add(fileHash);
    }
  }

  /** A thumbnail made here is not replaced by the answer that there is none. */
  #show(fileHash: string, image: Blob | null): void {
    const entry = this.#entries.get(fileHash);
    if (!entry || (image === null && entry.get())) return;
    revoke(entry);
    entry.set(image === null ? null : URL.createObjectURL(image));
  }

  async #makeAll(): Promise<void> {
    this.#isMaking = true;
    using maker = this.#ports.openMaker();
    const made: { fileHash: string; image: string }[] = [];
    let { signal } = this.#stop;
    for (let next = this.#next(); next; next = this.#next()) {
      const bytes = await maker.make(next.source);
      if (signal.aborted) made.length = 0;
      else if (bytes) {
        this.#entryOf(next.fileHash);
        this.#show(next.fileHash, new Blob([bytes], { type: typeOf(bytes) }));
        made.push({ fileHash: next.fileHash, image: toBase64(bytes) });
      }
      ({ signal } = this.#stop);
      if (made.length === mostThumbnails || this.#offers.size === 0) await this.#store(made.splice(0), signal);
    }
    this.#isMaking = false;
  }

  #next(): Offer | undefined {
    const [next] = this.#offers.values();
    if (next) this.#offers.delete(next.fileHash);
    return next;
  }

  /** If that fails, the next client that shows the files makes them. */
  async #store(thumbnails: { fileHash: string; image: string }[], signal: AbortSignal): Promise<void> {
    if (thumbnails.length > 0)
      await this.#ports.call(putThumbnails, { body: { thumbnails }, signal }).catch(() => undefined);
  }
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), character => character.charCodeAt(0));
const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** As the browser made it: some make PNG or JPEG where WebP is asked for. */
const typeOf = ([first]: Uint8Array): string =>
  first === 0x89 ? 'image/png' : first === 0xff ? 'image/jpeg' : 'image/webp';

function revoke(entry: Entry): void {
  const url = entry.get();
  if (url) URL.revokeObjectURL(url);
}
