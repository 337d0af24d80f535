// Entries of the list of uploads: as they are made, as they are kept, as they are found again.
import { commonFolder } from '@recordproof/shared/transfer/upload-set.ts';
import type { TransferState, Upload } from '../bridge.ts';
import type { HeldFile } from './kept-files.ts';
import type { ListedUpload } from './upload-list.ts';

export const toUpload = (group: readonly HeldFile[], targetFileId: string | null): Upload => ({
  id: crypto.randomUUID(),
  fileName: group[0]?.file.name ?? '',
  folder: commonFolder(group.map(({ folder }) => folder)),
  files: group.length,
  size: group.reduce((sum, { file }) => sum + file.size, 0),
  targetFileId,
  state: { kind: 'waiting' },
  progress: null,
});

export const toListed = ({ state: _, progress: __, ...upload }: Upload): ListedUpload => ({
  ...upload,
  isPaused: false,
});

export function toFound({ isPaused, ...entry }: ListedUpload, isHeld: boolean): Upload {
  const lost: TransferState = { kind: 'needs-file', mayAsk: false };
  const state: TransferState = isPaused ? { kind: 'paused' } : isHeld ? { kind: 'waiting' } : lost;
  return { ...entry, state, progress: null };
}
