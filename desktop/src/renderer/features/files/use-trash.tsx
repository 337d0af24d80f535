// Deletion of files and folders: files move to the trash, and for ten seconds a bar brings them back.
import type { File } from '@recordproof/shared/api/files.ts';
import { createFolder, deleteFolder } from '@recordproof/shared/api/folders.ts';
import { listTrash, mostTrashed, moveToTrash, restoreFromTrash } from '@recordproof/shared/api/trash.ts';
import { lastPart } from '@recordproof/shared/file-path.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useEffect, useState } from 'react';
import type { Bridge } from '../../../bridge/bridge.ts';
import { useBridge, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

const undoMs = 10_000;

type Call = Bridge['call'];
type Hashes = readonly string[];

async function inParts(hashes: Hashes, work: (part: string[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < hashes.length; start += mostTrashed) await work(hashes.slice(start, start + mostTrashed));
}

export const restore = (call: Call, hashes: Hashes): Promise<void> =>
  inParts(hashes, part => call(restoreFromTrash, { body: { fileHash: part } }));

/** Everything that one deletion moved to the trash, as of a folder; page by page, as there may be thousands. */
export async function restoreDeletion(call: Call, deletedAt: string): Promise<void> {
  for (;;) {
    const { records } = await call(listTrash, { query: { deletedAt, size: 100 } });
    if (records.length === 0) return;
    await restore(
      call,
      records.map(({ fileHash }) => fileHash),
    );
  }
}

type Deleted = {
  readonly what:
    | { readonly kind: 'files'; readonly count: number }
    | { readonly kind: 'folder'; readonly name: string };
  readonly restore: () => Promise<unknown>;
};

export type Trashing = {
  /** The last deletion, while one press brings it back. */
  readonly deleted: Deleted['what'] | null;
  readonly error: unknown;
  readonly isBusy: boolean;
  remove(files: readonly File[]): Promise<void>;
  removeFolder(path: string): Promise<void>;
  undo(): void;
};

export function useTrash(onChanged: () => void): Trashing {
  const { call } = useBridge();
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  const { run, isBusy, error } = useAction(async (last: Deleted) => {
    await last.restore();
    setDeleted(null);
    onChanged();
  });
  useEffect(() => {
    if (deleted === null || isBusy) return;
    const timer = setTimeout(() => setDeleted(null), undoMs);
    return () => clearTimeout(timer);
  }, [deleted, isBusy]);
  return {
    deleted: deleted?.what ?? null,
    error,
    isBusy,
    async remove(files) {
      const gone: string[] = [];
      try {
        await inParts(
          files.map(({ fileHash }) => fileHash),
          async fileHash => {
            await call(moveToTrash, { body: { fileHash } });
            gone.push(...fileHash);
          },
        );
      } finally {
        if (gone.length > 0) {
          setDeleted({ what: { kind: 'files', count: gone.length }, restore: () => restore(call, gone) });
          onChanged();
        }
      }
    },
    async removeFolder(path) {
      const { files, deletedAt } = await call(deleteFolder, { query: { path, recursive: true } });
      setDeleted({
        what: { kind: 'folder', name: lastPart(path) },
        restore: () => (files > 0 ? restoreDeletion(call, deletedAt) : call(createFolder, { body: { path } })),
      });
      onChanged();
    },
    undo: () => {
      if (deleted) void run(deleted);
    },
  };
}

export function UndoBar({ trashing: { deleted, error, isBusy, undo } }: { readonly trashing: Trashing }) {
  const texts = useWords(folderWords);
  return (
    <div role="status">
      {deleted !== null && (
        <div className="undo">
          <span>
            {deleted.kind === 'files' ? texts.deleted(deleted.count) : texts.folderDeleted(toShownName(deleted.name))}
          </span>
          <Button label={texts.undo} variant="plain" disabled={isBusy} onClick={undo} />
          <Problem error={error} />
        </div>
      )}
    </div>
  );
}
