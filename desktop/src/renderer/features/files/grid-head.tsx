import { useSay } from '../../surroundings.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Sort } from './use-files.ts';

type Head = { readonly sort: Sort; readonly onSort: (sort: Sort) => void };

export function GridHead({ sort, onSort }: Head) {
  const { list } = useSay();
  const sorted = (field: Sort['field'], className: string, label: string) => {
    const isThis = sort.field === field;
    const direction = isThis && sort.direction === 'asc' ? 'desc' : 'asc';
    return (
      <span
        className={className}
        role="columnheader"
        aria-sort={isThis ? (sort.direction === 'asc' ? 'ascending' : 'descending') : 'none'}
      >
        <button type="button" className="bare" onClick={() => onSort({ field, direction })}>
          {label}
          {isThis && <Icon name={sort.direction === 'asc' ? 'up' : 'down'} />}
        </button>
      </span>
    );
  };
  return (
    <div role="rowgroup">
      <div className="cells grid-head" role="row" aria-rowindex={1}>
        <span role="columnheader" className="pick">
          <span className="unseen">{list.selected(0)}</span>
        </span>
        {sorted('fileName', '', list.name)}
        {sorted('fileSize', 'size', list.size)}
        {sorted('createdAt', 'when', list.stored)}
        <span role="columnheader" className="state">
          {list.proof}
        </span>
      </div>
    </div>
  );
}
