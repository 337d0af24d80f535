// Cache of the pages of a long list: fetches the visible pages, and drops the oldest.
import type { Page } from '@recordproof/shared/api/common.ts';
import type { File } from '@recordproof/shared/api/files.ts';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { toWait, waitOut } from '@recordproof/shared/transfer/wait.ts';
import type { Watched } from '../../../bridge/bridge.ts';
import { openWatched } from '../../../bridge/watched.ts';

const pageSize = 100;
const mostPages = 60;

type Known = { readonly total: number; readonly error: unknown; readonly version: number };

export type FilePages = {
  /** `total` is -1 until it is known. */
  readonly known: Watched<Known>;
  find(index: number): File | undefined;
  /** Fetches the missing pages of these rows. */
  want(first: number, last: number): void;
  /** The files of any number of rows: missing pages are fetched, some at a time, and not cached. */
  fetchRange(first: number, last: number, options: FetchOptions): Promise<File[]>;
  /** Keeps the old pages until the new ones are loaded. */
  refresh(): void;
  close(): void;
};

type FetchOptions = { readonly signal: AbortSignal; readonly onProgress?: (fetched: number) => void };

const mostAtOnce = 4;

/** `age`: counts refreshes; pages of an earlier one are stale. */
type Loaded = { readonly records: readonly File[]; readonly age: number };

type LoadPage = (page: number, size: number, signal: AbortSignal) => Promise<Page<File>>;

export function openFilePages(load: LoadPage): FilePages {
  const known = openWatched<Known>({ total: -1, error: null, version: 0 });
  const pages = new BoundedMap<number, Loaded>(mostPages);
  const pending = new Map<number, AbortController>();
  let age = 0;
  let visibleRange: readonly [number, number] = [0, 0];

  const change = (part: Partial<Known>): void => {
    const now = known.get();
    known.set({ ...now, ...part, version: now.version + 1 });
  };

  async function fetchPage(page: number): Promise<void> {
    const stop = new AbortController();
    pending.set(page, stop);
    try {
      const { records, total } = await load(page + 1, pageSize, stop.signal);
      if (stop.signal.aborted) return;
      pages.set(page, { records, age });
      change({ total, error: null });
    } catch (error) {
      if (!stop.signal.aborted) change({ error });
    } finally {
      if (pending.get(page) === stop) pending.delete(page);
    }
  }

  function want(first: number, last: number): void {
    visibleRange = [first, last];
    const [from, to] = [Math.floor(first / pageSize), Math.floor(Math.max(first, last) / pageSize)];
    for (const [page, stop] of pending) {
      if (page >= from && page <= to) continue;
      stop.abort();
      pending.delete(page);
    }
    for (let page = from; page <= to; page += 1)
      if (pages.get(page)?.age !== age && !pending.has(page)) fetchPage(page);
  }

  /** Waits where the rate limit of the server is used up. */
  async function loadWithin(signal: AbortSignal, page: number): Promise<Page<File>> {
    for (;;) {
      try {
        return await load(page + 1, pageSize, signal);
      } catch (error) {
        const wait = toWait(error);
        if (!wait) throw error;
        await waitOut(wait, { clock: systemClock, signal });
      }
    }
  }

  async function fetchRange(first: number, last: number, { signal, onProgress }: FetchOptions): Promise<File[]> {
    const fetchOne = async (page: number): Promise<readonly File[]> => {
      const loaded = pages.get(page);
      return loaded?.age === age ? loaded.records : (await loadWithin(signal, page)).records;
    };
    const found: File[] = [];
    const [from, to] = [Math.floor(first / pageSize), Math.floor(last / pageSize)];
    for (let page = from; page <= to; page += mostAtOnce) {
      const group = Array.from({ length: Math.min(mostAtOnce, to - page + 1) }, (_, at) => fetchOne(page + at));
      for (const [at, records] of (await Promise.all(group)).entries()) {
        const start = (page + at) * pageSize;
        found.push(...records.slice(Math.max(0, first - start), last - start + 1));
      }
      signal.throwIfAborted();
      onProgress?.(found.length);
    }
    return found;
  }

  return {
    known,
    fetchRange,
    find: index => pages.get(Math.floor(index / pageSize))?.records[index % pageSize],
    want,
    refresh() {
      age += 1;
      for (const stop of pending.values()) stop.abort();
      pending.clear();
      want(...visibleRange);
    },
    close() {
      for (const stop of pending.values()) stop.abort();
    },
  };
}
