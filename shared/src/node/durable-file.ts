// Atomic file writes: a reader, and a start after a power cut, finds the old file or the new one, each whole.
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What comes in pieces is never held in memory. */
type Content = string | Uint8Array | AsyncIterable<Uint8Array>;

type Options = {
  readonly mode?: number;
  /** A file that exists is an error (EEXIST); of writers that race, one wins. It is replaced otherwise. */
  readonly isNew?: boolean;
  /** The one name of the draft, where writers hold a lock: what a killed one left is replaced. A random name otherwise. */
  readonly draft?: string;
  /** Written by root, it belongs to the owner of the file that it replaces, or of its folder: a service must read it. */
  readonly keepsOwner?: boolean;
};

/** Durable when it resolves. When it rejects, the draft is gone. Errors are those of the system. */
export async function writeDurably(path: string, content: Content, options: Options = {}): Promise<void> {
  const { mode = 0o600, isNew = false, draft, keepsOwner = false } = options;
  const temporary = draft ?? `${path}.${randomBytes(6).toString('hex')}.part`;
  if (draft !== undefined) await rm(draft, { force: true });
  try {
    {
      await using file = await open(temporary, 'wx', mode);
      await file.writeFile(content);
      if (keepsOwner) await giveToOwner(file, path);
      await file.sync();
    }
    await (isNew ? link : rename)(temporary, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What was made, renamed or deleted in the folder survives a power cut. Windows neither offers nor needs it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using folder = await open(path, 'r');
  await folder.sync();
}

async function giveToOwner(file: FileHandle, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(path).catch(() => stat(dirname(path)));
  if (uid !== 0) await file.chown(uid, gid);
}
