// Kinds of preview, by the type that the server reports: pixels, text and PDF pages only. A file that claims to be a web page
// or a drawing with scripts is never shown.
export type PreviewKind = 'picture' | 'text' | 'pdf';

const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];
const texts = /^(text\/(plain|csv|markdown|tab-separated-values)|application\/json)$/;
export const mostPreviewBytes = 16 * 1024 * 1024;
export const mostTextCharacters = 20_000;

export const mediaTypeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

export function previewKindOf(contentType: string, size: number): PreviewKind | null {
  const type = mediaTypeOf(contentType);
  if (size === 0 || size > mostPreviewBytes) return null;
  if (type === 'application/pdf') return 'pdf';
  if (pictures.includes(type)) return 'picture';
  return texts.test(type) ? 'text' : null;
}
