// The pipeline from a stream to a stored chunk, on any thread: digest, imprint or seal, then the store.
import { createHash, type Hash } from 'node:crypto';
import { type ChunkContext, sealChunk } from '../crypto/content-suite.ts';
import type { StoredObject } from '../objects/object-store.ts';
import { type Imprint, Imprinter } from './imprint.ts';

export type ChunkForm =
  | { readonly kind: 'plain'; readonly withImprint: boolean }
  | { readonly kind: 'sealed'; readonly context: ChunkContext };

export type StoredStream = {
  readonly stored: StoredObject;
  /** Lowercase hex, of the bytes before sealing. */
  readonly sha256: string;
  readonly imprint?: Imprint | undefined;
};

type Bytes = AsyncIterable<Uint8Array>;

export async function storeStream(
  form: ChunkForm,
  source: Bytes,
  { ownsBlocks, store }: { readonly ownsBlocks: boolean; readonly store: (bytes: Bytes) => Promise<StoredObject> },
): Promise<StoredStream> {
  if (form.kind === 'sealed') {
    const hash = createHash('sha256');
    const stored = await store(sealChunk(form.context, digested(hash, source), { ownsBlocks }));
    return { stored, sha256: hash.digest('hex') };
  }
  const imprinter = form.withImprint ? new Imprinter() : undefined;
  const stored = await store(imprinter?.pass(source) ?? source);
  return { stored, sha256: stored.sha256, imprint: imprinter?.finish() };
}

async function* digested(hash: Hash, source: Bytes): AsyncGenerator<Uint8Array, void, void> {
  for await (const block of source) {
    hash.update(block);
    yield block;
  }
}
