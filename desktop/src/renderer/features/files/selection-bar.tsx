// Bar with the number of the selected files, and the actions on all of them.
import { mostZippedBytes, mostZippedFiles } from '@recordproof/shared/api/folders.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatNumber } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/states.tsx';
import { LazyDeleteDialog, LazyMoveDialog, LazyProofsDialog, LazyShareDialog } from './lazy-dialogs.tsx';
import { type Moving, toMovedFiles } from './use-move.ts';
import type { Selecting, Selection } from './use-selecting.ts';

type Bar = {
  readonly selection: Selection;
  readonly selecting: Selecting;
  readonly moving: Moving;
};

export function SelectionBar({ selection, selecting, moving }: Bar) {
  const { list } = useTexts();
  const language = useLanguage();
  const { progress, error } = selecting;
  if (selection.size === 0 && progress === null && error === null) return null;
  const inWords = (value: number) => formatNumber(value, language);
  const status = progress
    ? list.selecting(inWords(progress.fetched), inWords(progress.total))
    : list.selected(inWords(selection.size));
  return (
    <div className="chosen">
      <span role="status" className="number">
        {status}
      </span>
      <Problem error={error} />
      <div className="actions">
        {selection.size > 0 && progress === null && (
          <SelectionActions selection={selection} selecting={selecting} moving={moving} />
        )}
        <Button label={list.clear} variant="bare" onClick={selecting.clear} />
      </div>
    </div>
  );
}

function SelectionActions({ selection, selecting, moving }: Bar) {
  const texts = useTexts();
  const folders = useWords(folderWords);
  const { downloads } = useBridge();
  const [asking, setAsking] = useState<'proofs' | 'share' | 'move' | 'delete' | null>(null);
  const files = [...selection.values()];
  const fetchAll = async () => {
    for (const { fileHash, fileName, fileSize: size } of files)
      await downloads.start({ kind: 'file', fileHash, fileName, size });
  };
  const size = files.reduce((sum, { fileSize }) => sum + fileSize, 0);
  const isPackable = files.length <= mostZippedFiles && size <= mostZippedBytes;
  const fetchZip = () =>
    downloads.start({
      kind: 'zip',
      content: { kind: 'files', fileHash: files.map(({ fileHash }) => fileHash) },
      ...{ fileName: `${texts.files}.zip`, size },
    });
  const removeAll = async () => {
    await moving.trashing.remove(files);
    selecting.clear();
  };
  return (
    <>
      <Button icon="download" label={texts.file.download} variant="plain" onClick={fetchAll} />
      {files.length > 1 && (
        <Button
          label={folders.zip}
          variant="plain"
          disabled={!isPackable}
          title={isPackable ? undefined : texts.transfer.noPacking}
          onClick={fetchZip}
        />
      )}
      <Button icon="seal" label={texts.file.proofs} variant="plain" onClick={() => setAsking('proofs')} />
      <Button icon="link" label={texts.file.share} variant="plain" onClick={() => setAsking('share')} />
      <Button icon="files" label={folders.move} variant="plain" onClick={() => setAsking('move')} />
      <Button icon="remove" label={texts.file.remove} variant="danger" onClick={() => setAsking('delete')} />
      {asking === 'proofs' && <LazyProofsDialog files={files} onClose={() => setAsking(null)} />}
      {asking === 'share' && <LazyShareDialog files={files} onClose={() => setAsking(null)} />}
      {asking === 'move' && (
        <LazyMoveDialog
          moved={toMovedFiles(files)}
          onMoved={() => {
            selecting.clear();
            moving.onChanged();
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'delete' && <LazyDeleteDialog files={files} act={removeAll} onClose={() => setAsking(null)} />}
    </>
  );
}
