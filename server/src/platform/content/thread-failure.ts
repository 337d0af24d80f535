// Serialization of errors between threads, because an error loses its class when it is posted.
import { ContentError } from '../crypto/content-suite.ts';
import { toStoreError } from '../objects/disk-files.ts';
import { ObjectStoreError } from '../objects/object-store.ts';

type ThreadFailure = { readonly from: 'store' | 'content'; readonly kind: string; readonly message: string };

export function toFailure(error: unknown): ThreadFailure {
  if (error instanceof ContentError) return { from: 'content', kind: error.kind, message: error.message };
  const { kind, message } = toStoreError(error);
  return { from: 'store', kind, message };
}

export function rethrow(failure: unknown): never {
  const { from, kind, message } = failure as Partial<ThreadFailure>;
  if (from === 'store' && kind) throw new ObjectStoreError(kind as ObjectStoreError['kind'], message ?? '', failure);
  if (from === 'content' && kind) throw new ContentError(kind as ContentError['kind'], message ?? '', failure);
  throw failure;
}
