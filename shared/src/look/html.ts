// HTML as text that cannot be broken by what is put into it: every value is escaped unless it is HTML already.

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

/** Only for what we have made ourselves: scripts and pictures. */
export const raw = (text: string): Html => ({ html: text });
