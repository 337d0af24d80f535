// HTML templates with escaping: every interpolated value is escaped unless it is already HTML.

export type Html = { readonly html: string };
type Piece = Html | string | number | null | undefined | false | readonly Piece[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const toText = (piece: Piece): string => {
  if (piece === null || piece === undefined || piece === false) return '';
  if (typeof piece === 'string' || typeof piece === 'number')
    return String(piece).replace(/[&<>"']/g, character => escapes[character] ?? '');
  return 'html' in piece ? piece.html : piece.map(toText).join('');
};

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: strings.map((text, index) => text + toText(pieces[index])).join('') };
}

/** Only for trusted text of our own: scripts and icons. */
export const raw = (text: string): Html => ({ html: text });
