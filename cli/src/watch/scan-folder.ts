// A scan of the watched folder: existing files, stable ones (unchanged for several scans), and missing ones. Reads
// names and times, never content.
import { lstatSync } from 'node:fs';
import { setImmediate as letOthers } from 'node:timers/promises';
import { fileName } from '@recordproof/shared/api/files.ts';
import { type Walked, walkFolder } from '@recordproof/shared/node/walk-folder.ts';

export type Seen = {
  /** Below the folder, with `/` between its parts. */
  readonly path: string;
  readonly diskPath: string;
  readonly revision: string;
  /** Stays when a file is renamed. */
  readonly identity: string;
  readonly size: number;
  readonly leftOut?: string;
};

type FolderScan = {
  readonly files: readonly Seen[];
  /** Unreadable paths: files may exist below them. */
  readonly unreadable: readonly string[];
};

/** Undefined where no file exists any more. */
export const revisionOf = (diskPath: string): string | undefined => toSeen('', diskPath)?.revision;

/** An inode number and two times: a rename changes the last, a write both. */
function toSeen(path: string, diskPath: string): Seen | undefined {
  const found = lstatSync(diskPath, { bigint: true, throwIfNoEntry: false });
  if (!found?.isFile()) return undefined;
  const { ino, size, mtimeNs, ctimeNs } = found;
  const identity = `${ino}-${size}-${mtimeNs}`;
  const leftOut = size === 0n ? 'it is empty, which proves nothing' : findNameFault(path);
  return {
    path,
    diskPath,
    identity,
    revision: `${identity}-${ctimeNs}`,
    size: Number(size),
    ...(leftOut && { leftOut }),
  };
}

const findNameFault = (path: string): string | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return fileName.safeParse(name).success ? undefined : 'the server does not take such a name';
};

const toLeftOut = (path: string, why: string): Seen => ({
  ...{ path, diskPath: path, identity: why, revision: why, size: 0 },
  leftOut: why,
});

function see(walked: Walked): Seen | undefined {
  switch (walked.kind) {
    case 'file':
      return trySeen(walked.path, walked.diskPath);
    case 'other':
      return toLeftOut(walked.path, 'it is a link, or neither a file nor a folder');
    case 'unfit':
      return toLeftOut(walked.path, `its name ${walked.fault}`);
    case 'unreadable':
      return toUnreadable(walked.path);
  }
}

const toUnreadable = (path: string): Seen => toLeftOut(path, 'it cannot be read');

function trySeen(path: string, diskPath: string): Seen | undefined {
  try {
    return toSeen(path, diskPath);
  } catch {
    return toUnreadable(path);
  }
}

const filesAtOnce = 500;

export async function scanFolder(folder: string, isOwn: (path: string) => boolean): Promise<FolderScan> {
  const files: Seen[] = [];
  const unreadable: string[] = [];
  let walked = 0;
  for (const one of walkFolder(folder)) {
    walked += 1;
    if (walked % filesAtOnce === 0) await letOthers();
    if (one.kind === 'unreadable') unreadable.push(one.path);
    const seen = isOwn(one.path) ? undefined : see(one);
    if (seen) files.push(seen);
  }
  return { files, unreadable };
}

/** A file is stable when several scans, over long enough a time, found it unchanged. */
export class StableFiles {
  readonly #restMs: number;
  #since = new Map<string, { readonly revision: string; readonly at: number }>();

  constructor(restMs: number) {
    this.#restMs = restMs;
  }

  /** Those of these that are stable; all others are forgotten. */
  choose(files: readonly Seen[], now: number): Seen[] {
    const before = this.#since;
    this.#since = new Map();
    return files.filter(({ path, revision }) => {
      const previous = before.get(path);
      const since = previous?.revision === revision ? previous : { revision, at: now };
      this.#since.set(path, since);
      return now - since.at >= this.#restMs;
    });
  }

  get count(): number {
    return this.#since.size;
  }
}
