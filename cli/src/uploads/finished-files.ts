// The journal of files that a run of `upload` or `prove` has stored, one line each. A line is on the disk before the journal or the
// requestId of its file is removed, so that the same command after a crash sends none of them again.
import { createHash } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { jsonOrNone } from '@recordproof/shared/json-or-none.ts';
import { z } from 'zod';
import { ensureFolder, removeOld } from '../platform/private-file.ts';
import type { Transfers } from '../platform/transfers.ts';

const extension = '.finished';
/** After this time without another finished file the run counts as abandoned. */
const keptMs = 7 * 24 * 3600_000;

const stored = z.object({
  fileId: z.string(),
  fileHash: z.string(),
  contentHash: z.string(),
  version: z.int(),
});
export type StoredAs = z.infer<typeof stored>;

/** The file as it was read: another revision counts as another file. */
export type LocalFile = {
  readonly path: string;
  readonly size: number;
  readonly revision: string;
  readonly folder: string | undefined;
};

const line = z.object({ key: z.string(), stored });

const toKey = ({ path, size, revision, folder }: LocalFile): string => JSON.stringify([path, size, revision, folder]);

export class FinishedFiles {
  readonly #path: string;
  readonly #stored: Map<string, StoredAs>;

  private constructor(path: string, stored: Map<string, StoredAs>) {
    this.#path = path;
    this.#stored = stored;
  }

  /** `about`: everything that identifies a command. */
  static async open(folder: string, about: unknown): Promise<FinishedFiles> {
    await ensureFolder(folder);
    await removeOld(folder, keptMs, extension);
    const digest = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32);
    const path = join(folder, digest + extension);
    return new FinishedFiles(path, await readLines(path));
  }

  find(file: LocalFile): StoredAs | undefined {
    return this.#stored.get(toKey(file));
  }

  /** Durable when it resolves. */
  async add(files: readonly { readonly file: LocalFile; readonly stored: StoredAs }[]): Promise<void> {
    if (files.length === 0) return;
    // The line break comes first: an incomplete line of a crash does not damage the next one.
    const lines = files.map(({ file, stored: { fileId, fileHash, contentHash, version } }) => {
      const storedAs = { fileId, fileHash, contentHash, version };
      this.#stored.set(toKey(file), storedAs);
      return `\n${JSON.stringify({ key: toKey(file), stored: storedAs })}`;
    });
    await using file = await open(this.#path, 'a', 0o600);
    await file.appendFile(lines.join(''));
    await file.datasync();
  }

  /** The run is over: the same command is a new one from now on. */
  async forget(): Promise<void> {
    this.#stored.clear();
    await rm(this.#path, { force: true });
  }
}

/** Opens the journal of one command; `more` identifies it besides server, account and files. */
export function openFinished(
  { account, folders, server }: Pick<Transfers, 'account' | 'folders' | 'server'>,
  files: readonly string[],
  more: Readonly<Record<string, unknown>>,
): Promise<FinishedFiles> {
  const paths = files.map(each => resolve(each));
  return FinishedFiles.open(folders.uploads, { server: server.baseUrl, account, paths, ...more });
}

async function readLines(path: string): Promise<Map<string, StoredAs>> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const stored = new Map<string, StoredAs>();
  for (const each of text.split('\n')) {
    const { success, data } = line.safeParse(jsonOrNone(each));
    if (success) stored.set(data.key, data.stored);
  }
  return stored;
}
