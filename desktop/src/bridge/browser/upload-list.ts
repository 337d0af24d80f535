// Which uploads a person has begun in this browser and not finished: what is needed to show them after a reload, and to
// know the file again.
import { z } from 'zod';

const entry = z.object({
  id: z.string(),
  fileName: z.string(),
  folder: z.string().nullable(),
  size: z.int(),
  lastModified: z.number(),
  targetFileId: z.string().nullable(),
});
export type ListedUpload = z.infer<typeof entry>;

const keyOf = (who: string): string => `recordproof:uploads:${who}`;
const mostListed = 2000;

export function readUploads(who: string): ListedUpload[] {
  try {
    return z.array(entry).parse(JSON.parse(localStorage.getItem(keyOf(who)) ?? '[]'));
  } catch {
    return [];
  }
}

/** Another window may have written meanwhile: what is there is read anew. */
export function changeUploads(who: string, change: (list: readonly ListedUpload[]) => readonly ListedUpload[]): void {
  try {
    localStorage.setItem(keyOf(who), JSON.stringify(change(readUploads(who)).slice(-mostListed)));
  } catch {
    // The browser keeps nothing more: these uploads are forgotten with the window.
  }
}
