// Grid of files of any length, for pointer and keyboard. The grid itself has the focus and names its current row.
import type { File } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { useLanguage, useTexts, useWatched } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { FileName } from '../../ui/file-name.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ProofChip } from '../proofs/proof-chip.tsx';
import { FileIcon } from './file-icon.tsx';
import type { FilePages } from './file-pages.ts';
import { LazyGridDialog } from './lazy-dialogs.tsx';
import type { Sort } from './use-files.ts';
import { type FileAction, type Moving, startDrag, toMovedFiles } from './use-move.ts';
import type { Selecting, Selection } from './use-selecting.ts';
import { reveal, rowHeight, stepOf, useWindow } from './use-window.ts';

export type FileGridProps = {
  readonly pages: FilePages;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  readonly selection: Selection;
  readonly selecting: Selecting;
  readonly onOpen: (file: File) => void;
  readonly onView: (file: File) => void;
  readonly moving: Moving;
};

const debounceMs = 60;

export function FileGrid({ pages, sort, onSort, selection, selecting, onOpen, onView, moving }: FileGridProps) {
  const texts = useTexts();
  const { total } = useWatched(pages.known);
  const viewport = useRef<HTMLDivElement>(null);
  const { first, last } = useWindow(viewport, total);
  const [at, setAt] = useState(0);
  const id = useId();
  useEffect(() => {
    const timer = setTimeout(() => pages.want(first, last), debounceMs); // fast scrolling requests nothing
    return () => clearTimeout(timer);
  }, [pages, first, last]);
  const moveTo = (index: number, isRange: boolean) => {
    const next = Math.max(0, Math.min(total - 1, index));
    setAt(next);
    reveal(viewport.current, next);
    if (isRange) selecting.extendTo(next, at);
    else selecting.release();
  };
  const { turn, extendTo } = selecting;
  const latestAt = useRef(at);
  latestAt.current = at;
  const pick = useCallback<Row['onPick']>(
    (index, file, isRange) => {
      if (isRange) extendTo(index, latestAt.current);
      else turn(index, file);
      setAt(index);
    },
    [turn, extendTo],
  );
  const [asking, setAsking] = useState<FileAction | null>(null);
  const current = pages.find(at);
  const chosen = selection.size > 0 ? [...selection.values()] : current ? [current] : [];
  const latestChosen = useRef(chosen);
  latestChosen.current = chosen;
  const { folder } = moving;
  const drag = useCallback((event: DragEvent, file: File) => {
    const all = latestChosen.current;
    const isChosen = all.some(({ id: one }) => one === file.id);
    startDrag(event, toMovedFiles(isChosen ? all : [file]));
  }, []);
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const step = stepOf(event.key, at, total, viewport.current?.clientHeight ?? 0);
    const file = pages.find(at);
    if (step !== undefined) moveTo(step, event.shiftKey);
    else if (event.key === 'Enter' && file) onOpen(file);
    else if (event.key.toLowerCase() === 'v' && file) onView(file);
    else if (event.key === ' ' && file) pick(at, file, event.shiftKey);
    else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) selecting.selectAll();
    else if (event.key === 'Escape') selecting.clear();
    else if (event.key === 'Delete' && chosen.length > 0) setAsking('delete');
    else if (event.key === 'F2' && file) setAsking('rename');
    else if (event.key.toLowerCase() === 'm' && chosen.length > 0) setAsking('move');
    else return;
    event.preventDefault();
  };
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset);
  return (
    <div
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={texts.files}
      aria-describedby={`${id}-keys`}
      aria-rowcount={total + 1}
      aria-multiselectable
      aria-activedescendant={at >= first && at <= last ? `${id}-${at}` : undefined}
      onKeyDown={press}
    >
      <p id={`${id}-keys`} className="unseen">
        {texts.list.keys}
      </p>
      <GridHead sort={sort} onSort={onSort} total={total} selected={selection.size} selecting={selecting} />
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
                folder={folder}
                isAt={index === at}
                isSelected={file !== undefined && selection.has(file.fileHash)}
                onPick={pick}
                onDrag={drag}
                onOpen={onOpen}
                onAt={setAt}
              />
            );
          })}
        </div>
      </div>
      {asking && (
        <LazyGridDialog
          action={asking}
          files={chosen}
          current={current}
          moving={moving}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}

type Head = Pick<FileGridProps, 'sort' | 'onSort' | 'selecting'> & {
  readonly total: number;
  readonly selected: number;
};

function GridHead({ sort, onSort, selecting, total, selected }: Head) {
  const { list } = useTexts();
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
          <input
            type="checkbox"
            aria-label={list.selectAll}
            checked={selected > 0 && selected >= total}
            ref={box => {
              if (box) box.indeterminate = selected > 0 && selected < total;
            }}
            onChange={() => (selected >= total ? selecting.clear() : selecting.selectAll())}
          />
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
  /** The path of the shown folder; other paths are displayed. */
  readonly folder: string;
  readonly isAt: boolean;
  readonly isSelected: boolean;
  readonly onPick: (index: number, file: File, isRange: boolean) => void;
  readonly onDrag: (event: DragEvent, file: File) => void;
  readonly onOpen: (file: File) => void;
  readonly onAt: (index: number) => void;
};

/** Positioned by style, so that a row is not moved in the document when others come and go. */
const FileRow = memo(function FileRow({
  id,
  index,
  file,
  folder,
  isAt,
  isSelected,
  onPick,
  onDrag,
  onOpen,
  onAt,
}: Row) {
  const { list } = useTexts();
  const language = useLanguage();
  const style = { transform: `translateY(${index * rowHeight}px)` };
  if (!file)
    return (
      <div id={id} className="row cells" role="row" aria-rowindex={index + 2} style={style}>
        <span role="gridcell" />
        <span role="gridcell">
          <div className="bone" />
        </span>
      </div>
    );
  const press = ({ shiftKey, ctrlKey, metaKey }: Pick<MouseEvent, 'shiftKey' | 'ctrlKey' | 'metaKey'>) => {
    if (shiftKey || ctrlKey || metaKey) {
      onPick(index, file, shiftKey);
      return;
    }
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
      data-file={file.id}
      style={style}
      draggable
      onDragStart={event => onDrag(event, file)}
      onClick={press}
    >
      <span role="gridcell" className="pick" onClick={event => event.stopPropagation()}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={list.select(toShownName(file.fileName))}
          onChange={({ nativeEvent }) =>
            onPick(index, file, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
          }
        />
      </span>
      <span role="gridcell" className="name">
        <FileIcon file={file} />
        <FileName name={file.fileName} strong />
        {file.path !== null && file.path !== folder && (
          <span className="cut" title={toShownName(file.path)}>
            {toShownName(file.path)}
          </span>
        )}
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
