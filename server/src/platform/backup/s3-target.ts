// Backup target in a bucket: the same names as in a folder, below a prefix.
import { buffer } from 'node:stream/consumers';
import { type ListedObject, type ObjectStore, ObjectStoreError } from '../objects/object-store.ts';
import { openObjectStore } from '../objects/open-object-store.ts';
import type { S3StoreOptions } from '../objects/s3-store.ts';
import { BackupRejected, type BackupTarget, manifestFolder, type PieceStore, toManifests } from './backup-target.ts';

/** `prefix` is empty or ends in a slash. */
export async function openS3Target(options: S3StoreOptions, prefix: string): Promise<BackupTarget> {
  const store = await openObjectStore({ kind: 's3', ...options });
  const pieces = below(store, prefix);
  return {
    name: `s3://${options.bucket}/${prefix}`,
    pieces,
    pathOf: name => `s3://${options.bucket}/${prefix}${name}`,
    async listManifests() {
      const names: string[] = [];
      const folder = `${manifestFolder}/`;
      for await (const { key } of pieces.list(folder)) names.push(key.slice(folder.length));
      return toManifests(names);
    },
    async readFile(name, maxBytes) {
      try {
        const read = await pieces.get(name);
        if (read.size > maxBytes)
          throw new BackupRejected(`the object ${name} exceeds the limit of ${maxBytes} bytes.`);
        return await buffer(read.body);
      } catch (error) {
        if (error instanceof ObjectStoreError && error.kind === 'NOT_FOUND') return null;
        throw error;
      }
    },
    async createFile(name, bytes) {
      await store.create(prefix + name, [bytes], { size: bytes.length });
    },
    async removeFiles(names) {
      for (const name of names) await pieces.delete(name);
    },
    async listTop() {
      const { value } = await pieces.list('')[Symbol.asyncIterator]().next();
      return value === undefined ? [] : [value.key];
    },
    lock: async () => ({ close: () => {} }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const below = (store: ObjectStore, prefix: string): PieceStore => ({
  put: (key, source, options) => store.put(prefix + key, source, options),
  get: (key, options) => store.get(prefix + key, options),
  findHead: key => store.findHead(prefix + key),
  delete: key => store.delete(prefix + key),
  list: key => withoutPrefix(store.list(prefix + key), prefix),
});

async function* withoutPrefix(listed: AsyncIterable<ListedObject>, prefix: string): AsyncGenerator<ListedObject> {
  for await (const one of listed) yield { ...one, key: one.key.slice(prefix.length) };
}
