// Deletion of files: they move to the trash, and for ten seconds one press brings them back.
import type { File } from '@recordproof/shared/api/files.ts';
import { mostTrashed, moveToTrash, restoreFromTrash } from '@recordproof/shared/api/trash.ts';
import { useEffect, useState } from 'react';
import type { Bridge } from '../../../bridge/bridge.ts';
import { useBridge } from '../../context.ts';
import { useAction } from '../../ui/hooks.ts';

const undoMs = 10_000;

type Hashes = readonly string[];

async function inParts(hashes: Hashes, work: (part: string[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < hashes.length; start += mostTrashed) await work(hashes.slice(start, start + mostTrashed));
}

export const restore = (call: Bridge['call'], hashes: Hashes): Promise<void> =>
  inParts(hashes, part => call(restoreFromTrash, { body: { fileHash: part } }));

export type Trashing = {
  /** Those that can be brought back by one press; null when there are none. */
  readonly deleted: Hashes | null;
  readonly error: unknown;
  readonly isBusy: boolean;
  remove(files: readonly File[]): Promise<void>;
  undo(): void;
};

export function useTrash(onChanged: () => void): Trashing {
  const { call } = useBridge();
  const [deleted, setDeleted] = useState<Hashes | null>(null);
  useEffect(() => {
    if (deleted === null) return;
    const timer = setTimeout(() => setDeleted(null), undoMs);
    return () => clearTimeout(timer);
  }, [deleted]);
  const { run, isBusy, error } = useAction(async (hashes: Hashes) => {
    await restore(call, hashes);
    setDeleted(null);
    onChanged();
  });
  return {
    deleted,
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
          setDeleted(gone);
          onChanged();
        }
      }
    },
    undo: () => {
      if (deleted) void run(deleted);
    },
  };
}
