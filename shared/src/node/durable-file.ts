// Atomic file writes: readers, also after a power failure, see the old file or the new one, each complete.
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** An iterable is streamed and never buffered. */
type Content = string | Uint8Array | AsyncIterable<Uint8Array>;

type Options = {
  readonly mode?: number;
  /** Throws EEXIST if the file exists; of concurrent writers, one succeeds. By default it is replaced. */
  readonly isNew?: boolean;
  /**
   * A fixed name for the draft, if writers hold a lock: the draft of a killed writer is replaced. By default the name
   * is random.
   */
  readonly draft?: string;
  /** When written by root, keeps the owner of the replaced file, or of its folder, so that a service can read it. */
  readonly keepsOwner?: boolean;
};

/** Durable when it resolves. After a rejection the draft is deleted. Errors are those of the system. */
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
    await (isNew ? nameNew : rename)(temporary, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Gives a draft its name and replaces nothing: by a hard link or, where there are none, by reserving the name first.
 * Throws EEXIST.
 */
export async function nameNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await rm(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    const reserved = await open(path, 'wx');
    await reserved.close();
    await rename(draft, path).catch(async cause => {
      await rm(path);
      throw cause;
    });
  }
}

/** Makes created, renamed and deleted entries of the folder durable. Windows neither offers nor needs it. */
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
