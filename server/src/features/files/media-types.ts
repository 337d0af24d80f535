// Media types by file extension, for clients that send none. None is a type that a browser executes or renders as a
// page (inert-type.ts); the type is used for nothing else. Pure.
import { splitName } from '@recordproof/shared/file-path.ts';

const types: Readonly<Record<string, string>> = {
  'application/epub+zip': 'epub',
  'application/gzip': 'gz tgz',
  'application/json': 'json',
  'application/msword': 'doc',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/x-7z-compressed': '7z',
  'application/x-tar': 'tar',
  'application/x-xz': 'xz',
  'application/yaml': 'yaml yml',
  'application/zip': 'zip',
  'application/zstd': 'zst',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg oga opus',
  'audio/wav': 'wav',
  'font/ttf': 'ttf',
  'font/woff2': 'woff2',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic heif',
  'image/jpeg': 'jpg jpeg',
  'image/png': 'png',
  'image/tiff': 'tif tiff',
  'image/webp': 'webp',
  'text/calendar': 'ics',
  'text/csv': 'csv',
  'text/markdown': 'md markdown',
  'text/plain': 'txt text log',
  'text/vcard': 'vcf',
  'video/mp4': 'mp4 m4v',
  'video/mpeg': 'mpg mpeg',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
  'video/x-msvideo': 'avi',
};

const byEnding = new Map(
  Object.entries(types).flatMap(([type, endings]) => endings.split(' ').map(end => [end, type])),
);

export const knownTypes: readonly string[] = Object.keys(types);

/** The client's type, unless it is empty. */
export function toMediaType(contentType: string, fileName: string): string {
  if (contentType !== 'application/octet-stream') return contentType;
  return byEnding.get(splitName(fileName)[1].slice(1).toLowerCase()) ?? contentType;
}
