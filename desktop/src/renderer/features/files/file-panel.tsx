// Details of one file: record, preview, proof, versions, actions.
import type { File } from '@recordproof/shared/api/files.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useState } from 'react';
import type { ChosenFile } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatNumber, formatSize, formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Facts, Panel } from '../../ui/panes.tsx';
import { ProofSection } from '../proofs/proof-section.tsx';
import { FileButton } from '../transfers/file-button.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { LazyShareDialog } from './lazy-dialogs.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { RenameFileDialog } from './name-dialog.tsx';
import { Preview } from './preview.tsx';
import { type Moving, toMovedFiles } from './use-move.ts';
import { Versions } from './versions.tsx';

type Shown = { readonly file: File; readonly onClose: () => void; readonly moving: Moving };
type Panelled = Shown & { readonly onView: () => void };

export function FilePanel({ file, onClose, moving, onView }: Panelled) {
  return (
    <Panel title={file.fileName} onClose={onClose}>
      <FileActions file={file} onClose={onClose} moving={moving} />
      <Preview key={file.id} file={file} onView={onView} />
      <section>
        <FileFacts file={file} />
      </section>
      <ProofSection file={file} />
      <Versions file={file} onChanged={moving.onChanged} />
    </Panel>
  );
}

export function MissingFilePanel({ onClose }: Pick<Shown, 'onClose'>) {
  const { missing } = useTexts();
  return (
    <Panel title={missing.file} onClose={onClose}>
      <p className="quiet">{missing.fileText}</p>
    </Panel>
  );
}

function FileActions({ file, onClose, moving }: Shown) {
  const texts = useTexts();
  const folders = useWords(folderWords);
  const { downloads, uploads } = useBridge();
  const [asking, setAsking] = useState<'share' | 'rename' | 'move' | 'delete' | null>(null);
  const { fileHash, fileName, fileSize: size } = file;
  const remove = async () => {
    await moving.trashing.remove([file]);
    onClose();
  };
  const leave = () => {
    moving.onChanged();
    onClose();
  };
  const sendVersion = async (chosen: readonly ChosenFile[]) => {
    await uploads.add(chosen, { targetFileId: file.id });
  };
  return (
    <div className="actions">
      <Button
        icon="download"
        label={texts.file.download}
        onClick={() => downloads.start({ kind: 'file', fileHash, fileName, size })}
      />
      <Button icon="link" label={texts.file.share} variant="plain" onClick={() => setAsking('share')} />
      <FileButton onChosen={sendVersion} into={file.path ?? ''} variant="plain" label={texts.file.newVersion} />
      <Button label={folders.rename} variant="plain" onClick={() => setAsking('rename')} />
      <Button label={folders.move} variant="plain" onClick={() => setAsking('move')} />
      <Button label={texts.file.remove} variant="danger" onClick={() => setAsking('delete')} />
      {asking === 'share' && <LazyShareDialog files={[file]} onClose={() => setAsking(null)} />}
      {asking === 'rename' && <RenameFileDialog file={file} onRenamed={leave} onClose={() => setAsking(null)} />}
      {asking === 'move' && <MoveDialog moved={toMovedFiles([file])} onMoved={leave} onClose={() => setAsking(null)} />}
      {asking === 'delete' && <DeleteDialog files={[file]} act={remove} onClose={() => setAsking(null)} />}
    </div>
  );
}

function FileFacts({ file }: { readonly file: File }) {
  const texts = useTexts();
  const language = useLanguage();
  const exact = `${formatNumber(file.fileSize, language)} B`;
  const size = file.fileSize < 1024 ? exact : `${formatSize(file.fileSize)} (${exact})`;
  return (
    <Facts
      of={{
        [texts.file.folder]: file.path,
        [texts.list.size]: <span className="number">{size}</span>,
        [texts.list.stored]: formatTime(file.createdAt, language),
        [texts.file.type]: file.contentType,
        [texts.file.contentHash]: <code>{file.contentHash.replace('sha256:', '')}</code>,
        [texts.file.fileHash]: <code>{file.fileHash}</code>,
      }}
    />
  );
}
