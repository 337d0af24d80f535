// Splitting of a name in two parts: the first may be cut, the second has its last letters and its extension.

const tailLetters = 5;
const mostExtensionLetters = 8;
/** Shorter ones fit as they are. */
const mostWhole = 16;

type Parts = { readonly head: string; readonly tail: string };

export function splitName(name: string): Parts {
  const letters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name)].map(
    ({ segment }) => segment,
  );
  if (letters.length <= mostWhole) return { head: name, tail: '' };
  const dot = letters.lastIndexOf('.');
  const extension = letters.length - dot;
  const isExtension = dot > 0 && extension <= mostExtensionLetters + 1;
  const start = (isExtension ? dot : letters.length) - tailLetters;
  return { head: letters.slice(0, start).join(''), tail: letters.slice(start).join('') };
}
