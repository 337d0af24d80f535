import type { File } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { memo } from 'react';
import { formatSize, formatTime } from '../../format.ts';
import { useLanguage, useSay } from '../../surroundings.ts';
import { ProofChip } from '../proofs/proof-chip.tsx';
import type { SelectionChange } from './selection.ts';
import { rowHeight } from './use-window.ts';

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

/** Its place is a style and not the order of elements: a row that stays is not touched when others come and go. */
export const FileRow = memo(function FileRow({ id, index, file, isAt, isSelected, onSelect, onOpen, onAt }: Row) {
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
