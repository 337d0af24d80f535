// Viewer over files of a list: own ones and those of shares. It is loaded when it is first opened.
import type { SharedFile } from '@recordproof/shared/api/share-access.ts';
import { maxViewBytes } from '@recordproof/shared/preview-kinds.ts';
import { useCallback, useEffect, useRef } from 'react';
import type { Bridge, FileSource } from '../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts } from '../context.ts';
import { toErrorText } from '../error-text.ts';
import { formatSize } from '../format.ts';

type Listed = Pick<SharedFile, 'fileName' | 'fileSize' | 'contentType'>;
export type FoundFile = {
  readonly file: Listed;
  readonly source: FileSource;
  /** The bytes of an image that is shown, the first page of a PDF, or a frame of a video. */
  readonly onShown?: (shown: Uint8Array<ArrayBuffer> | ImageBitmap) => void;
};

type ViewedList = {
  readonly start: number;
  readonly count: number;
  /** Undefined if the file is no longer in the list. */
  readonly find: (at: number) => Promise<FoundFile | undefined>;
  readonly download: (at: number) => Promise<unknown>;
  readonly onClose?: () => void;
};

const toViewed = ({ downloads, openMedia }: Bridge, { file, source, onShown }: FoundFile) => ({
  ...{ name: file.fileName, contentType: file.contentType, fileSize: file.fileSize },
  read: (signal: AbortSignal) => downloads.read({ source, maxBytes: maxViewBytes }, signal),
  openMedia: (signal: AbortSignal) => openMedia({ ...file, source }, signal),
  ...(onShown && { onShown }),
});

/** It closes with the component. */
export function useOpenViewer(): (list: ViewedList) => void {
  const bridge = useBridge();
  const language = useLanguage();
  const texts = useTexts();
  const opened = useRef<{ close(): void }>(undefined);
  useEffect(() => () => opened.current?.close(), []);
  return useCallback(
    ({ start, count, find, download, onClose }: ViewedList) =>
      void import('@recordproof/shared/browser/viewer/viewer.ts').then(({ openViewer }) => {
        opened.current = openViewer({
          ...{ start, count, language, openPdf: bridge.openPdf, toSize: formatSize },
          explain: error => toErrorText(error, texts),
          download: at => void download(at),
          find: async at => {
            const found = await find(at);
            return found && toViewed(bridge, found);
          },
          onClose: () => onClose?.(),
        });
      }),
    [bridge, language, texts],
  );
}
