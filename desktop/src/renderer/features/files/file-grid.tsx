// Grid of files of any length, for pointer and keyboard. The grid itself has the focus and names its current row.
import type { File } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { type KeyboardEvent, memo, useEffect, useId, useRef, useState } from 'react';
import { useLanguage, useSay, useWatched } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { Icon } from '../../ui/icon.tsx';
import { ProofChip } from '../proofs/proof-chip.tsx';
import type { FilePages } from './file-pages.ts';
import type { Selection, SelectionChange } from './selection.ts';
import type { Sort } from './use-files.ts';
import { rowHeight, useWindow } from './use-window.ts';

type Grid = {
  readonly pages: FilePages;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly selection: Selection;
  readonly onSelect: (change: SelectionChange) => void;
  readonly onOpen: (file: File) => void;
};

const settleMs = 60;

export function FileGrid({ pages, sort, onSort, selection, onSelect, onOpen }: Grid) {
  const say = useSay();
  const { total } = useWatched(pages.known);
  const viewport = useRef<HTMLDivElement>(null);
  const { first, last } = useWindow(viewport, total);
  const [at, setAt] = useState(0);
  const id = useId();
  useEffect(() => {
    const timer = setTimeout(() => pages.want(first, last), settleMs); // who scrolls past wants nothing
    return () => clearTimeout(timer);
  }, [pages, first, last]);
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index));
    setAt(next);
    reveal(viewport.current, next);
  };
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const step = stepOf(event.key, at, total, viewport.current?.clientHeight ?? 0);
    const file = pages.find(at);
    if (step !== undefined) moveTo(step);
    else if (event.key === 'Enter' && file) onOpen(file);
    else if (event.key === ' ' && file) onSelect({ kind: 'turn', file });
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey))
      onSelect({ kind: 'add', files: listLoaded(pages, first, last) });
    else if (event.key === 'Escape') onSelect({ kind: 'clear' });
    else return;
    event.preventDefault();
  };
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
  return (
    <div
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={say.files}
      aria-describedby={`${id}-keys`}
      aria-rowcount={total + 1}
      aria-multiselectable
      aria-activedescendant={at >= first && at <= last ? `${id}-${at}` : undefined}
      onKeyDown={press}
    >
      <p id={`${id}-keys`} className="unseen">
        {say.list.keys}
      </p>
      <GridHead sort={sort} onSort={onSort} />
      <div className="viewport" ref={viewport} role="rowgroup">
        <div role="presentation" style={{ height: total * rowHeight, position: 'relative' }}>
          {rows.map(index => {
            const file = pages.find(index);
            return (
              <FileRow
                key={index}
                id={`${id}-${index}`}
                index={index}
                file={file}
                isAt={index === at}
                isSelected={file !== undefined && selection.has(file.fileHash)}
                onSelect={onSelect}
                onOpen={onOpen}
                onAt={setAt}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const listLoaded = (pages: FilePages, first: number, last: number): File[] =>
  Array.from({ length: last - first + 1 }, (_, offset) => pages.find(first + offset)).filter(
    file => file !== undefined,
  );

function stepOf(key: string, at: number, total: number, height: number): number | undefined {
  const aScreen = Math.max(1, Math.floor(height / rowHeight) - 1);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + aScreen,
    PageUp: at - aScreen,
    Home: 0,
    End: total - 1,
  };
  return steps[key];
}

function reveal(viewport: HTMLElement | null, index: number): void {
  if (!viewport) return;
  const top = index * rowHeight;
  if (top < viewport.scrollTop) viewport.scrollTop = top;
  const below = top + rowHeight - viewport.clientHeight;
  if (below > viewport.scrollTop) viewport.scrollTop = below;
}

type Head = { readonly sort: Sort; readonly onSort: (sort: Sort) => void };

function GridHead({ sort, onSort }: Head) {
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

type Row = {
  readonly id: string;
  readonly index: number;
  readonly file: File | undefined;
  readonly isAt: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (change: SelectionChange) => void;
  readonly onOpen: (file: File) => void;
  readonly onAt: (index: number) => void;
};

/** Positioned by style, so that a row is not moved in the document when others come and go. */
const FileRow = memo(function FileRow({ id, index, file, isAt, isSelected, onSelect, onOpen, onAt }: Row) {
  const { list } = useSay();
  const language = useLanguage();
  const place = { transform: `translateY(${index * rowHeight}px)` };
  if (!file)
    return (
      <div id={id} className="row cells" role="row" aria-rowindex={index + 2} style={place}>
        <span role="gridcell" />
        <span role="gridcell">
          <div className="bone" />
        </span>
      </div>
    );
  const open = () => {
    onAt(index);
    onOpen(file);
  };
  return (
    <div
      id={id}
      className={isAt ? 'row cells at' : 'row cells'}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={place}
      onClick={open}
    >
      <span role="gridcell" className="pick" onClick={event => event.stopPropagation()}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={list.select(file.fileName)}
          onChange={() => onSelect({ kind: 'turn', file })}
        />
      </span>
      <span role="gridcell" className="name">
        <strong className="cut">{toShownName(file.fileName)}</strong>
        {file.path !== null && <span className="cut">{toShownName(file.path)}</span>}
      </span>
      <span role="gridcell" className="size number quiet">
        {formatSize(file.fileSize)}
      </span>
      <span role="gridcell" className="when number quiet cut">
        {formatTime(file.createdAt, language)}
      </span>
      <span role="gridcell" className="state">
        <ProofChip status={file.proofStatus} />
      </span>
    </div>
  );
});
