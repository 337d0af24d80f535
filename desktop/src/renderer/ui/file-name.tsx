// Name of a file, shortened in its middle where it does not fit: its beginning and its extension stay.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { splitName } from './split-name.ts';

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
