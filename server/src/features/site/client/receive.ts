// Download of a shared file, block by block, with a check against its digest.
import { sha256 } from '@noble/hashes/sha2.js';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import type { ShareWords } from '@recordproof/shared/words/share.ts';

/** An error whose message is shown to the user. */
export class Rejection extends Error {}

export type SharedFile = { readonly url: string; readonly size: number; readonly hash: string };
export type Watching = { readonly show: (received: number) => void; readonly signal: AbortSignal };
type Receiving = Watching & { readonly write: (block: Uint8Array<ArrayBuffer>) => Promise<void> };

function rejectionOf(code: number, texts: ShareWords): Rejection {
  if (code === 410 || code === 404) return new Rejection(texts.ended);
  if (code === 429) return new Rejection(texts.tooMany);
  return new Rejection(texts.notSent);
}

/** Returns whether the bytes have the SHA-256 stated by the page. */
export async function receive(
  texts: ShareWords,
  { url, size, hash }: SharedFile,
  { write, show, signal }: Receiving,
): Promise<boolean> {
  const response = await fetch(url, { signal });
  if (response.redirected) throw new Rejection(texts.openAgain);
  if (!response.ok || response.body === null) throw rejectionOf(response.status, texts);
  const digest = sha256.create();
  let received = 0;
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    digest.update(next.value);
    await write(next.value);
    received += next.value.length;
    show(received);
  }
  if (received !== size) throw new Rejection(texts.brokeOff);
  return toDigest(digest.digest()) === hash;
}

export function toText(texts: ShareWords, problem: unknown): string {
  if (problem instanceof Rejection) return problem.message;
  const isStopped = problem instanceof DOMException && problem.name === 'AbortError';
  return isStopped ? texts.stopped : texts.noAnswer;
}
