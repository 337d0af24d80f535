// Kinds of files by their media type: which icon represents a file, and how it is shown. Only pixels, text, pages of a PDF
// and media are shown: a file that claims to be a web page or a drawing with scripts never is. Pure.

const shownTypes = {
  image: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'],
  pdf: ['application/pdf'],
  text: [
    'text/plain',
    'text/csv',
    'text/markdown',
    'text/tab-separated-values',
    'application/json',
    'application/yaml',
  ],
  audio: ['audio/mpeg', 'audio/mp4', 'audio/aac', 'audio/ogg', 'audio/wav', 'audio/x-wav', 'audio/flac', 'audio/webm'],
  video: ['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime', 'video/x-matroska', 'video/mpeg'],
} as const;

export type ViewKind = keyof typeof shownTypes;
/** Why a file is not shown. */
type WhyNot = 'empty' | 'tooLarge' | 'active' | 'unknown';
export type View =
  | { readonly kind: ViewKind }
  | { readonly kind: null; readonly whyNot: WhyNot; readonly limit?: number };

const MiB = 1024 * 1024;
/** Of files that are read whole. Media are read in ranges. */
export const maxViewBytes = 32 * MiB;

const kinds = Object.keys(shownTypes) as ViewKind[];
const kindByType = new Map(kinds.flatMap(kind => shownTypes[kind].map(type => [type as string, kind] as const)));

export const mediaTypeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

type Typed = { readonly contentType: string; readonly fileSize: number };

const isActive = (type: string): boolean =>
  /[/+](xml|html)$|^text\/(html|css|javascript)$|^application\/(javascript|wasm)$/.test(type);

export const isMedia = (contentType: string): boolean =>
  ['audio', 'video'].includes(kindByType.get(mediaTypeOf(contentType)) ?? '');

export function viewOf({ contentType, fileSize }: Typed): View {
  const type = mediaTypeOf(contentType);
  const kind = kindByType.get(type);
  if (fileSize === 0) return { kind: null, whyNot: 'empty' };
  if (kind === undefined) return { kind: null, whyNot: isActive(type) ? 'active' : 'unknown' };
  if (fileSize > maxViewBytes && !isMedia(type)) return { kind: null, whyNot: 'tooLarge', limit: maxViewBytes };
  return { kind };
}

/** Width and height of a thumbnail, at most. */
export const thumbnailSide = 256;

/** Whether clients make thumbnails of it. */
export const hasThumbnail = (file: Typed): boolean => ['image', 'pdf', 'video'].includes(viewOf(file).kind ?? '');

const iconTypes: readonly (readonly [RegExp, FileIcon])[] = [
  [/^image\//, 'image'],
  [/^video\//, 'video'],
  [/^audio\//, 'audio'],
  [/^application\/pdf$/, 'pdf'],
  [/spreadsheet|ms-excel|^text\/(csv|tab-separated-values)$/, 'sheet'],
  [/presentation|ms-powerpoint/, 'slides'],
  [/zip|gzip|x-tar|x-7z|x-xz|zstd|compressed/, 'archive'],
  [/json|yaml|xml|html|javascript|text\/css/, 'code'],
  [/^text\/|msword|wordprocessing|opendocument\.text|rtf|epub/, 'text'],
];

export type FileIcon = 'image' | 'video' | 'audio' | 'pdf' | 'sheet' | 'slides' | 'archive' | 'code' | 'text' | 'other';

export const iconOf = (contentType: string): FileIcon =>
  iconTypes.find(([type]) => type.test(mediaTypeOf(contentType)))?.[1] ?? 'other';

type Drawing = `M${string}`;

const sheet: Drawing = 'M6 3.500h8L18.500 8v12.500H6zM14 3.500V8h4.500';

/** Drawings of the icons: strokes on 24 by 24. */
export const iconPaths: Readonly<Record<FileIcon, Drawing>> = {
  image: 'M4 5h16v14H4zM4 16l4.500-4.500 4 4 3-3L20 17M15 9.500v.1',
  video: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  audio:
    'M9 17.500V6l9-2v11.500M9 17.500a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM18 15.500a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0z',
  pdf: `${sheet}M9 17.500c1.800-3 2.600-5 2.600-6.300 0-1-1.200-1-1.200 0 0 1.800 2.300 4.300 5.600 4.500 1.200 0 1.200-1.200 0-1.200-2 0-5 .8-7 2`,
  sheet: `${sheet}M8.500 12h7.500v5.500H8.500zM8.500 14.700H16M12 12v5.500`,
  slides: `${sheet}M8.500 12h7.500v4.500H8.500zM12.200 16.500v2`,
  archive: `${sheet}M10 4v2h1.500M11.500 6v2H10M10 8v2h1.500M10 12h2v3h-2z`,
  code: `${sheet}M10.500 12.500 8.500 14.700l2 2.200M14 12.500l2 2.200-2 2.200`,
  text: `${sheet}M8.500 12H16M8.500 14.500H16M8.500 17H13`,
  other: sheet,
};
