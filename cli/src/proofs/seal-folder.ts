// Sealing of a folder: its list is hashed and written during one walk, atomically. A folder with an unreadable file is
// not sealed.
import {
  type FolderEntry,
  FolderListError,
  maxFolderEntries,
  writeFolderList,
} from '@recordproof/shared/evidence/folder-list.ts';
import type { FileProblem } from '@recordproof/shared/node/file-hash-thread.mjs';
import { type HashedFile, hashFolder } from '@recordproof/shared/node/hash-folder.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable, tint } from '../platform/output.ts';
import { writeWholeFile } from '../platform/whole-file.ts';

export type SealedFolder = {
  readonly files: number;
  readonly bytes: number;
  /** Links, and other special files. */
  readonly leftOut: number;
};

type SealOptions = {
  readonly mayReplace: boolean;
  readonly signal?: AbortSignal;
  /** Files and bytes so far. */
  readonly onProgress?: (sealed: SealedFolder) => void;
  /** Called with each path that is left out or prevents the seal. */
  readonly tell: (text: string) => void;
};

export async function sealFolder(folder: string, listPath: string, options: SealOptions): Promise<SealedFolder> {
  const tally = openTally(options);
  const list = toList(folder, hashFolder(folder, { signal: options.signal }), tally);
  await writeWholeFile(listPath, list, options.mayReplace);
  return tally.sealed();
}

async function* toList(
  folder: string,
  hashed: AsyncIterable<readonly HashedFile[]>,
  tally: Tally,
): AsyncGenerator<Uint8Array> {
  try {
    yield* writeFolderList(toEntries(hashed, tally));
  } catch (error) {
    if (!(error instanceof FolderListError)) throw error;
    tally.assertWhole();
    if (tally.sealed().files === 0) throw new CommandError('usage', `the folder ${folder} contains no files`);
    throw new CommandError(
      'usage',
      `${folder} contains more than ${maxFolderEntries.toLocaleString('en')} files: seal its subfolders one by one`,
      { cause: error },
    );
  }
  tally.assertWhole();
}

async function* toEntries(
  hashed: AsyncIterable<readonly HashedFile[]>,
  tally: Tally,
): AsyncGenerator<readonly FolderEntry[]> {
  for await (const some of hashed) {
    const entries = some.flatMap(one => tally.take(one) ?? []);
    tally.tell();
    yield entries;
  }
}

const problems: Readonly<Record<FileProblem, string>> = {
  changed: 'was changed while it was read',
  gone: 'was removed while the folder was read',
  other: 'is not a file any more',
  unreadable: 'cannot be read',
};

type Tally = ReturnType<typeof openTally>;

/** More are counted, but not named one by one. */
const mostNamed = 20;

function openTally({ onProgress = () => {}, tell }: Pick<SealOptions, 'onProgress' | 'tell'>) {
  let [files, bytes, leftOut, faults] = [0, 0, 0, 0];
  let hasChanged = false;
  const sealed = (): SealedFolder => ({ files, bytes, leftOut });
  const name = (count: number, mark: string, path: string, why: string): void => {
    if (count <= mostNamed) tell(`${tint('yellow', mark)} ${printable(path)} ${why}`);
  };
  return {
    sealed,
    tell: () => onProgress(sealed()),
    /** The files that can be sealed; all others are reported. */
    take(one: HashedFile): FolderEntry | undefined {
      if (one.kind === 'hashed') {
        files += 1;
        bytes += one.size;
        return { path: one.path, size: one.size, sha256: one.sha256 };
      }
      if (one.kind === 'other') {
        leftOut += 1;
        name(leftOut, 'left out:', one.path, 'is a link, or neither a file nor a folder');
        return undefined;
      }
      faults += 1;
      hasChanged ||= one.kind === 'problem' && one.problem !== 'unreadable';
      name(
        faults,
        'cannot be sealed:',
        one.path,
        one.kind === 'unfit' ? `(its name ${one.fault})` : problems[one.problem],
      );
      return undefined;
    },
    assertWhole(): void {
      if (faults === 0) return;
      const what = faults === 1 ? 'one file' : `${faults} files`;
      throw new CommandError(
        hasChanged ? 'damaged' : 'usage',
        `${what} below the folder cannot be sealed, so it is not sealed`,
        {
          try: hasChanged ? 'seal it when nothing writes into it' : 'rename or move what is named above',
        },
      );
    },
  };
}
