// Viewer over a list of files; a file that is in no list is shown alone. It is loaded when it is first opened.
import type { File } from '@recordproof/shared/api/files.ts';
import { maxViewBytes, mediaTypeOf } from '@recordproof/shared/preview-kinds.ts';
import { useCallback, useEffect, useRef } from 'react';
import type { Bridge } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { toErrorText } from '../../error-text.ts';
import { formatSize } from '../../format.ts';
import type { FilePages } from './file-pages.ts';

const toViewed = ({ downloads, thumbnails, openMedia }: Bridge, file: File) => ({
  name: file.fileName,
  contentType: file.contentType,
  fileSize: file.fileSize,
  read: (signal: AbortSignal) => downloads.read({ fileHash: file.fileHash, maxBytes: maxViewBytes }, signal),
  openMedia: (signal: AbortSignal) => openMedia(file, signal),
  onImage: (bytes: Uint8Array<ArrayBuffer>) =>
    thumbnails.offer(file.fileHash, new Blob([bytes], { type: mediaTypeOf(file.contentType) })),
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
  const language = useLanguage();
  const say = useTexts();
  const opened = useRef<{ close(): void }>(undefined);
  useEffect(() => () => opened.current?.close(), []);
  return useCallback(
    (file: File) => {
      const { start, count, find, close } = openNeighbours(pages, file);
      const download = async (at: number) => {
        const found = await find(at);
        if (!found) return;
        const { fileHash, fileName, fileSize: size } = found;
        await bridge.downloads.start({ kind: 'file', fileHash, fileName, size });
      };
      void import('@recordproof/shared/browser/viewer/viewer.ts').then(({ openViewer }) => {
        opened.current = openViewer({
          ...{ start, count, language, openPdf: bridge.openPdf, toSize: formatSize },
          explain: error => toErrorText(error, say),
          download: at => void download(at),
          find: async at => {
            const found = await find(at);
            return found && toViewed(bridge, found);
          },
          onClose: close,
        });
      });
    },
    [bridge, language, say, pages],
  );
}
