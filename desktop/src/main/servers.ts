// Saved servers and accounts, and which of them is current. Two accounts at one server are two entries.
import { z } from 'zod';
import type { SavedServer } from '../bridge/bridge.ts';
import { openPrivateJson } from './private-json.ts';

const entry = z.object({ id: z.string(), url: z.string(), username: z.string().nullable() });
const shape = z.object({ current: z.string().nullable(), entries: z.array(entry) });
type ServerEntry = z.infer<typeof entry>;

export type Servers = {
  list(): SavedServer[];
  /** `default` until another was chosen. */
  current(): ServerEntry;
  find(id: string): ServerEntry | undefined;
  /** Also makes it the current one. */
  add(url: string): Promise<void>;
  choose(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  name(id: string, username: string | null): Promise<void>;
};

const onThisMachine: ServerEntry = { id: 'default', url: 'http://127.0.0.1:8080', username: null };

export class WrongAddress extends Error {}

/** One spelling for each address. A path is kept, a password rejected. */
export function parseServerUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || url.username || url.password || url.search || url.hash)
    throw new WrongAddress('write the address like https://proof.example.org');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

export async function openServers(path: string): Promise<Servers> {
  const file = await openPrivateJson({ path, shape, first: { current: onThisMachine.id, entries: [onThisMachine] } });
  const entries = () => file.get().entries;
  const find = (id: string) => entries().find(one => one.id === id);
  const current = () => find(file.get().current ?? '') ?? entries()[0] ?? onThisMachine;
  return {
    list: () => entries().map(one => ({ ...one, isCurrent: one.id === current().id })),
    current,
    find,
    async add(url) {
      const added = { id: crypto.randomUUID(), url: parseServerUrl(url), username: null };
      await file.set({ current: added.id, entries: [...entries(), added] });
    },
    async choose(id) {
      if (find(id)) await file.set({ ...file.get(), current: id });
    },
    async remove(id) {
      await file.set({ ...file.get(), entries: entries().filter(one => one.id !== id) });
    },
    async name(id, username) {
      await file.set({ ...file.get(), entries: entries().map(one => (one.id === id ? { ...one, username } : one)) });
    },
  };
}
