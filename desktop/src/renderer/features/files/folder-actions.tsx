// Actions on the current folder: create one in it, rename, move, share, seal, download, delete.
import { type File, listFiles } from '@recordproof/shared/api/files.ts';
import { createFolder, move, sealFolder } from '@recordproof/shared/api/folders.ts';
import { maxSharedFiles } from '@recordproof/shared/api/shares.ts';
import { joinPath, lastPart, parentOf } from '@recordproof/shared/file-path.ts';
import { toSavedName, toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useState } from 'react';
import { useAccount, useBridge, useTexts, useWords } from '../../context.ts';
import { go } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { LazyCreateDropDialog, LazyMoveDialog, LazyNameDialog, LazyShareDialog } from './lazy-dialogs.tsx';

type Whole = { readonly folder: string; readonly onChanged: () => void };
type Acting = Whole & { readonly onDelete: (path: string) => Promise<void> };
type Asking = 'create' | 'rename' | 'move' | 'request' | 'delete' | null;

export function FolderActions({ folder, onChanged, onDelete }: Acting) {
  const texts = useWords(folderWords);
  const { call } = useBridge();
  const mayShare = useAccount().permissions.includes('file:share');
  const [asking, setAsking] = useState<Asking>(null);
  const close = () => setAsking(null);
  const leave = () => {
    onChanged();
    go('files', { folder: parentOf(folder) });
  };
  const create = async (name: string) => {
    await call(createFolder, { body: { path: joinPath(folder, name) } });
    onChanged();
  };
  const rename = async (name: string) => {
    const path = joinPath(parentOf(folder), name);
    await call(move, { body: { from: folder, path, onConflict: 'fail' } });
    onChanged();
    go('files', { folder: path });
  };
  const remove = async () => {
    await onDelete(folder);
    go('files', { folder: parentOf(folder) });
  };
  const button = (what: NonNullable<Asking>, label: string) => (
    <Button label={label} variant="bare" onClick={() => setAsking(what)} />
  );
  const name = toShownName(lastPart(folder));
  return (
    <>
      <div className="folder-actions">
        {button('create', texts.create)}
        {mayShare && button('request', texts.request)}
        {folder !== '' && (
          <>
            {button('rename', texts.rename)}
            {button('move', texts.move)}
            <WholeFolder folder={folder} onChanged={onChanged} />
            {button('delete', texts.remove)}
          </>
        )}
      </div>
      {asking === 'create' && (
        <LazyNameDialog title={texts.create} submit={texts.createYes} act={create} onClose={close} />
      )}
      {asking === 'rename' && (
        <LazyNameDialog
          title={texts.renameFolder}
          first={lastPart(folder)}
          submit={texts.rename}
          act={rename}
          onClose={close}
        />
      )}
      {asking === 'move' && <LazyMoveDialog moved={{ kind: 'folder', path: folder }} onMoved={leave} onClose={close} />}
      {asking === 'request' && <LazyCreateDropDialog folder={folder} onClose={close} />}
      {asking === 'delete' && (
        <AskDialog
          title={texts.removeAsk(name)}
          text={texts.removeText}
          yes={texts.remove}
          act={remove}
          onClose={close}
        />
      )}
    </>
  );
}

/** Share, seal and download, with everything in the folder and below it. */
function WholeFolder({ folder, onChanged }: Whole) {
  const texts = useWords(folderWords);
  const { file } = useTexts();
  const { call, downloads } = useBridge();
  const [shared, setShared] = useState<{ readonly files: readonly File[]; readonly total: number } | null>(null);
  const share = useAction(async () => {
    const query = { path: folder, size: maxSharedFiles } as const;
    const { records, total } = await call(listFiles, { query });
    setShared({ files: records, total });
  });
  const seal = useAction(async () => {
    await call(sealFolder, { body: { path: folder } });
    onChanged();
    go('files', { folder: parentOf(folder) });
  });
  const fetchZip = () =>
    downloads.start({
      kind: 'zip',
      content: { kind: 'folder', path: folder },
      fileName: toSavedName(`${lastPart(folder)}.zip`),
      size: 0,
    });
  const error = share.error ?? seal.error;
  const isBusy = share.isBusy || seal.isBusy;
  return (
    <>
      <Button icon="download" label={texts.zip} variant="bare" onClick={fetchZip} />
      <Button label={file.share} variant="bare" disabled={isBusy} onClick={() => share.run()} />
      <Button label={texts.seal} variant="bare" disabled={isBusy} onClick={() => seal.run()} title={texts.sealHint} />
      {error !== null && <Problem error={error} />}
      {shared && (
        <LazyShareDialog
          files={shared.files}
          folder={{ path: folder, total: shared.total }}
          onClose={() => setShared(null)}
        />
      )}
    </>
  );
}
