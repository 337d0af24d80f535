// Private JSON file of the program: checked by a schema, written whole, one write after the other. An unreadable file is
// renamed, so that the program starts and nothing is lost.
import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import type { z } from 'zod';

export type PrivateJson<T> = {
  readonly get: () => T;
  /** Resolves when it is on the disk. */
  set(value: T): Promise<void>;
};

type Options<T> = { readonly path: string; readonly shape: z.ZodType<T>; readonly first: T };

const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT';

/** In an array: a promise would unwrap a thenable value. */
async function read<T>({ path, shape, first }: Options<T>): Promise<readonly [T]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return [first];
    throw error;
  }
  try {
    return [shape.parse(JSON.parse(text))];
  } catch {
    await rename(path, `${path}.unreadable`);
    return [first];
  }
}

export async function openPrivateJson<T>(options: Options<T>): Promise<PrivateJson<T>> {
  const { path } = options;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let [value] = await read(options);
  let last: Promise<void> = Promise.resolve();
  return {
    get: () => value,
    set(next) {
      value = next;
      const written = last.then(() => writeDurably(path, `${JSON.stringify(value)}\n`, { draft: `${path}.draft` }));
      last = written.catch(() => undefined);
      return written;
    },
  };
}
