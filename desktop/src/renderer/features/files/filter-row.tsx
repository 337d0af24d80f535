// Row with the filters of the search.
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useTexts, useWords } from '../../context.ts';
import { changeQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { type FilterName, type Filters, fileTypes, filterNames } from './filters.ts';

export function FilterRow({ filters }: { readonly filters: Filters }) {
  const { list } = useTexts();
  const texts = useWords(folderWords);
  const set = (name: FilterName, value: string) => changeQuery({ [name]: value, file: '' });
  const select = (name: FilterName, label: string, options: readonly (readonly [value: string, text: string])[]) => (
    <label>
      {label}
      <select value={filters[name] ?? ''} onChange={({ target }) => set(name, target.value)}>
        <option value="">{texts.any}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const date = (name: 'from' | 'to', label: string) => (
    <label>
      {label}
      <input type="date" value={filters[name] ?? ''} onChange={({ target }) => set(name, target.value)} />
    </label>
  );
  return (
    <fieldset className="filter-row">
      <legend className="unseen">{texts.filters}</legend>
      {select(
        'type',
        texts.type,
        fileTypes.map(type => [type, texts.types[type]]),
      )}
      {select('proof', list.proof, [
        ['ISSUED', list.proofISSUED],
        ['PENDING', list.proofPENDING],
        ['NONE', list.proofNONE],
      ])}
      {select('shared', texts.shared, [
        ['true', texts.yes],
        ['false', texts.no],
      ])}
      {select('min', list.size, [
        ['1', texts.atLeast('1 MiB')],
        ['10', texts.atLeast('10 MiB')],
        ['100', texts.atLeast('100 MiB')],
      ])}
      {date('from', texts.from)}
      {date('to', texts.to)}
      <Button
        label={texts.noFilters}
        variant="bare"
        onClick={() => changeQuery(Object.fromEntries(filterNames.map(name => [name, ''])))}
      />
    </fieldset>
  );
}
