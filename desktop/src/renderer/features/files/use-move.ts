// Moves of files and folders, by dragging, by keys and by a dialog. The dragged items are part of the drag data.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type File, fileHash } from '@recordproof/shared/api/files.ts';
import { mostMovedFiles, move } from '@recordproof/shared/api/folders.ts';
import { isBelow, joinPath, lastPart, parentOf } from '@recordproof/shared/file-path.ts';
import type { DragEvent } from 'react';
import { z } from 'zod';
import type { Bridge } from '../../../bridge/bridge.ts';
import type { Trashing } from './use-trash.tsx';

const movedItem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('files'), hashes: z.array(fileHash).min(1), from: z.string().nullable() }),
  z.object({ kind: z.literal('folder'), path: z.string().min(1) }),
]);
export type Moved = z.infer<typeof movedItem>;

/** A name is taken in the destination. */
export const isNameTaken = (error: unknown): boolean =>
  error instanceof ApiError && error.kind === 'DATA_ALREADY_EXISTED';

/** Names that are taken in the destination: nothing was moved yet. */
export type OnConflict = 'fail' | 'keepBoth' | 'skip';

/** `from` is null where they come from several folders, as those of a search may. */
export function toMovedFiles(files: readonly File[]): Moved {
  const folders = new Set(files.map(({ path }) => path ?? ''));
  const [from = null] = folders.size === 1 ? folders : [];
  return { kind: 'files', hashes: files.map(file => file.fileHash), from };
}

/** Whether anything would change, and the folder does not move into itself. */
export function mayMoveTo(moved: Moved, folder: string): boolean {
  if (moved.kind === 'files') return moved.from !== folder;
  return parentOf(moved.path) !== folder && !isBelow(folder, moved.path);
}

export async function moveTo(
  call: Bridge['call'],
  moved: Moved,
  folder: string,
  onConflict: OnConflict,
): Promise<void> {
  if (moved.kind === 'folder') {
    const path = joinPath(folder, lastPart(moved.path));
    await call(move, { body: { from: moved.path, path, onConflict } });
    return;
  }
  for (let start = 0; start < moved.hashes.length; start += mostMovedFiles) {
    const part = moved.hashes.slice(start, start + mostMovedFiles);
    await call(move, { body: { fileHash: part, path: folder, onConflict } });
  }
}

const dragType = 'application/x-recordproof-items';

export function startDrag({ dataTransfer }: DragEvent, moved: Moved): void {
  dataTransfer.setData(dragType, JSON.stringify(moved));
  dataTransfer.effectAllowed = 'move';
}

export const isDragged = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes(dragType);

export function readDrag({ dataTransfer }: DragEvent): Moved | null {
  try {
    return movedItem.safeParse(JSON.parse(dataTransfer.getData(dragType))).data ?? null;
  } catch {
    return null;
  }
}

export type Moving = {
  /** The folder that is shown. */
  readonly folder: string;
  readonly trashing: Trashing;
  readonly onChanged: () => void;
};

/** The action of a key. */
export type FileAction = 'delete' | 'move' | 'rename';
