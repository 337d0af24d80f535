// Viewer over a list of own files; a file that is in no list is shown alone.
import type { File } from '@recordproof/shared/api/files.ts';
import { mediaTypeOf } from '@recordproof/shared/preview-kinds.ts';
import { useCallback } from 'react';
import type { Bridge } from '../../../bridge/bridge.ts';
import { useBridge } from '../../context.ts';
import { type FoundFile, useOpenViewer } from '../../ui/open-viewer.ts';
import type { FilePages } from './file-pages.ts';

const toFound = ({ thumbnails }: Bridge, file: File): FoundFile => ({
  file,
  source: { kind: 'file', fileHash: file.fileHash },
  onShown: shown =>
    thumbnails.offer(
      file.fileHash,
      shown instanceof ImageBitmap ? shown : new Blob([shown], { type: mediaTypeOf(file.contentType) }),
    ),
});

/** The row that shows the file, among those that are loaded. */
function findRow(pages: FilePages, file: File): number | undefined {
  const { total } = pages.known.get();
  for (let at = 0; at < total; at += 1) if (pages.find(at)?.fileHash === file.fileHash) return at;
  return undefined;
}

/** The files that the arrows lead to. */
function openNeighbours(pages: FilePages, file: File) {
  const row = findRow(pages, file);
  const stop = new AbortController();
  return {
    start: row ?? 0,
    count: row === undefined ? 1 : pages.known.get().total,
    find: async (at: number): Promise<File | undefined> => {
      if (row === undefined) return file;
      return pages.find(at) ?? (await pages.fetchRange(at, at, { signal: stop.signal }))[0];
    },
    close: () => stop.abort(),
  };
}

export function useViewer(pages: FilePages): (file: File) => void {
  const bridge = useBridge();
  const openViewer = useOpenViewer();
  return useCallback(
    (file: File) => {
      const { start, count, find, close } = openNeighbours(pages, file);
      openViewer({
        ...{ start, count, onClose: close },
        find: async at => {
          const found = await find(at);
          return found && toFound(bridge, found);
        },
        download: async at => {
          const found = await find(at);
          if (!found) return;
          const { fileHash, fileName, fileSize: size } = found;
          await bridge.downloads.start({ kind: 'file', fileHash, fileName, size });
        },
      });
    },
    [bridge, openViewer, pages],
  );
}
