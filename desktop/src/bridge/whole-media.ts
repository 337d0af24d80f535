// Media files that are downloaded completely and compared with their record before they play: files of shares, and all
// files in the desktop app.
import type { OpenMedia } from '@recordproof/shared/browser/viewer/viewed-file.ts';
import type { DownloadsBridge, PlayedFile } from './bridge.ts';

const maxBytes = 64 * 1024 * 1024;

export async function openWhole(
  { read }: Pick<DownloadsBridge, 'read'>,
  { source, fileSize, contentType: type }: PlayedFile,
  signal: AbortSignal,
): Promise<OpenMedia> {
  if (fileSize > maxBytes) return { limit: maxBytes };
  const url = URL.createObjectURL(new Blob([await read({ source, maxBytes }, signal)], { type }));
  return { url, isCompared: true, close: () => URL.revokeObjectURL(url) };
}
