// A view of an object store below a prefix, which is added to every key.
import type { ObjectStore } from './object-store.ts';

/** Only for stores without local files. Closing the view closes the store. */
export function withPrefix(store: ObjectStore, prefix: string): ObjectStore {
  const to = (key: string): string => prefix + key;
  return {
    backend: store.backend,
    put: (key, ...rest) => store.put(to(key), ...rest),
    create: (key, ...rest) => store.create(to(key), ...rest),
    get: (key, ...rest) => store.get(to(key), ...rest),
    readStart: (key, ...rest) => store.readStart(to(key), ...rest),
    findHead: key => store.findHead(to(key)),
    digest: (key, ...rest) => store.digest(to(key), ...rest),
    copy: (from, target, ...rest) => store.copy(to(from), to(target), ...rest),
    delete: key => store.delete(to(key)),
    list: (start, { after } = {}) => listBelow(store, prefix, start, after),
    presignPut: (key, ...rest) => store.presignPut(to(key), ...rest),
    presignGet: (key, ...rest) => store.presignGet(to(key), ...rest),
    probe: () => store.probe(),
    sweepLeftovers: olderThanSeconds => store.sweepLeftovers(olderThanSeconds),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function* listBelow(
  store: ObjectStore,
  prefix: string,
  start: string,
  after: string | undefined,
): ReturnType<ObjectStore['list']> {
  const options = after === undefined ? {} : { after: prefix + after };
  for await (const object of store.list(prefix + start, options))
    yield { ...object, key: object.key.slice(prefix.length) };
}
