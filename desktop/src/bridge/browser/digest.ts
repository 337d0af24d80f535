// SHA-256 in a browser: Web Crypto for ranges, our own implementation where there is none (plain http from another machine)
// and for streams.
import { sha256 } from '@noble/hashes/sha2.js';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';

const blockBytes = 1024 * 1024;

/** Blocks the calling thread. The page calls `digestInWorker`. */
export async function digestBlob(blob: Blob): Promise<string> {
  if (globalThis.crypto.subtle !== undefined) {
    const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    return toDigest(new Uint8Array(digest));
  }
  const hash = openHash();
  for (let at = 0; at < blob.size; at += blockBytes)
    hash.update(new Uint8Array(await blob.slice(at, at + blockBytes).arrayBuffer()));
  return hash.finish();
}

export function openHash(): { update(bytes: Uint8Array): void; finish(): string } {
  const hash = sha256.create();
  return { update: bytes => hash.update(bytes), finish: () => toDigest(hash.digest()) };
}
