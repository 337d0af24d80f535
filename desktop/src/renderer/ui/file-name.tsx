// Name of a file, shortened in its middle where it does not fit: its beginning and its extension stay.
import { toShownName } from '@recordproof/shared/shown-name.ts';

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

type Named = { readonly name: string; readonly strong?: boolean };

export function FileName({ name, strong = false }: Named) {
  const shown = toShownName(name);
  const { head, tail } = splitName(shown);
  const Element = strong ? 'strong' : 'bdi';
  return (
    <Element className="file-name" dir="auto" title={shown}>
      <span className="cut">{head}</span>
      {tail !== '' && <span>{tail}</span>}
    </Element>
  );
}
