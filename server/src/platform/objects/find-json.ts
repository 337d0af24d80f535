// Reader of small JSON objects of the store, at most `maxBytes` whatever is under the key.
import type { z } from 'zod';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';

type Reader = Pick<ObjectStore, 'get'>;
type Form<T> = { readonly schema: z.ZodType<T>; readonly maxBytes: number };

const mostReplacements = 5;

/** Null if absent or invalid. Rejects on an outage. */
export async function findJson<T>(objects: Reader, key: string, form: Form<T>): Promise<T | null> {
  for (let left = mostReplacements; ; left -= 1) {
    try {
      return await readJson(objects, key, form);
    } catch (error) {
      if (error instanceof SyntaxError || isKind(error, 'NOT_FOUND', 'CORRUPT')) return null;
      // Another server has just replaced it: read again.
      if (left === 0 || !isKind(error, 'REPLACED')) throw error;
    }
  }
}

async function readJson<T>(objects: Reader, key: string, { schema, maxBytes }: Form<T>): Promise<T | null> {
  const { body } = await objects.get(key, { end: maxBytes });
  const text = Buffer.concat(await Array.fromAsync(body)).toString('utf8');
  return schema.safeParse(JSON.parse(text)).data ?? null;
}

const isKind = (error: unknown, ...kinds: readonly ObjectStoreError['kind'][]): boolean =>
  error instanceof ObjectStoreError && kinds.includes(error.kind);
