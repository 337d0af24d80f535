// Row with the filters of the search.
import { useTexts } from '../../context.ts';
import { changeQuery } from '../../router.ts';
import { type FilterName, type Filters, fileTypes, filterNames } from './filters.ts';
import { useFolderTexts } from './use-folder-texts.ts';

export function FilterRow({ filters }: { readonly filters: Filters }) {
  const { list } = useTexts();
  const say = useFolderTexts();
  const set = (name: FilterName, value: string) => changeQuery({ [name]: value, file: '' });
  const select = (name: FilterName, label: string, options: readonly (readonly [value: string, text: string])[]) => (
    <label>
      {label}
      <select value={filters[name] ?? ''} onChange={({ target }) => set(name, target.value)}>
        <option value="">{say.any}</option>
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
      <legend className="unseen">{say.filters}</legend>
      {select(
        'type',
        say.type,
        fileTypes.map(type => [type, say.types[type]]),
      )}
      {select('proof', list.proof, [
        ['ISSUED', list.proofISSUED],
        ['PENDING', list.proofPENDING],
        ['NONE', list.proofNONE],
      ])}
      {select('shared', say.shared, [
        ['true', say.yes],
        ['false', say.no],
      ])}
      {select('min', list.size, [
        ['1', say.atLeast('1 MiB')],
        ['10', say.atLeast('10 MiB')],
        ['100', say.atLeast('100 MiB')],
      ])}
      {date('from', say.from)}
      {date('to', say.to)}
      <button
        type="button"
        className="bare"
        onClick={() => changeQuery(Object.fromEntries(filterNames.map(name => [name, ''])))}
      >
        {say.noFilters}
      </button>
    </fieldset>
  );
}
