// Journal of an unfinished upload in localStorage, one key per field. If storage is full, the upload continues, and
// only its next start costs more.
import type { Journal, JournalEntry, UploadPlan } from '@recordproof/shared/transfer/ports.ts';

const prefix = (id: string): string => `recordproof:journal:${id}:`;

function put(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is full: see the header.
  }
}

const keysOf = (start: string): string[] => Object.keys(localStorage).filter(key => key.startsWith(start));

function readNumbered(start: string): Map<number, string> {
  const entries = keysOf(start).map(key => [Number(key.slice(start.length)), localStorage.getItem(key) ?? ''] as const);
  return new Map(entries);
}

export function openJournal(id: string): Journal {
  const start = prefix(id);
  return {
    find(): JournalEntry | undefined {
      const plan = localStorage.getItem(`${start}plan`);
      if (plan === null) return undefined;
      return {
        plan: JSON.parse(plan) as UploadPlan,
        hashes: readNumbered(`${start}hash:`),
        eTags: readNumbered(`${start}etag:`),
      };
    },
    begin(plan, hashes) {
      forgetJournal(id);
      put(`${start}plan`, JSON.stringify(plan));
      for (const [index, hash] of hashes) put(`${start}hash:${index}`, hash);
    },
    addHash: (index, hash) => put(`${start}hash:${index}`, hash),
    addETag: (index, eTag) => put(`${start}etag:${index}`, eTag),
    remove: () => forgetJournal(id),
    async [Symbol.asyncDispose]() {},
  };
}

export function forgetJournal(id: string): void {
  for (const key of keysOf(prefix(id))) localStorage.removeItem(key);
}
