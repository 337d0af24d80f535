// Which uploads a person has begun in this browser and not finished: what is needed to show them after a reload. What is
// known of their files stands in kept-files.ts.
import { z } from 'zod';

const entry = z.object({
  id: z.string(),
  fileName: z.string(),
  folder: z.string().nullable(),
  files: z.int().min(1).default(1),
  size: z.int(),
  targetFileId: z.string().nullable(),
  isPaused: z.boolean().default(false),
});
export type ListedUpload = z.infer<typeof entry>;

const prefix = 'recordproof:uploads:';
const keyOf = (who: string): string => `${prefix}${who}`;
const mostListed = 2000;

export function readUploads(who: string): ListedUpload[] {
  try {
    return z.array(entry).parse(JSON.parse(localStorage.getItem(keyOf(who)) ?? '[]'));
  } catch {
    return [];
  }
}

/** Of everybody who uses this browser. */
export const listAllUploads = (): string[] =>
  Object.keys(localStorage)
    .filter(key => key.startsWith(prefix))
    .flatMap(key => readUploads(key.slice(prefix.length)))
    .map(({ id }) => id);

/** Another window may have written meanwhile: what is there is read anew. */
export function changeUploads(who: string, change: (list: readonly ListedUpload[]) => readonly ListedUpload[]): void {
  try {
    localStorage.setItem(keyOf(who), JSON.stringify(change(readUploads(who)).slice(-mostListed)));
  } catch {
    // The browser keeps nothing more: these uploads are forgotten with the window.
  }
}
