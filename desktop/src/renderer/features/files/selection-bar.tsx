// Bar with the actions on the selected files.
import { deleteFile } from '@recordproof/shared/api/files.ts';
import { useState } from 'react';
import { useBridge, useSay } from '../../context.ts';
import { go } from '../../router.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SaveProofsDialog } from '../proofs/save-proofs-dialog.tsx';
import { ShareDialog } from '../shares/share-dialog.tsx';
import type { Selection } from './selection.ts';

type Bar = { readonly selection: Selection; readonly onClear: () => void; readonly onChanged: () => void };

export function SelectionBar({ selection, onClear, onChanged }: Bar) {
  const say = useSay();
  const { call, downloads } = useBridge();
  const [asking, setAsking] = useState<'proofs' | 'share' | 'delete' | null>(null);
  const files = [...selection.values()];
  const fetchAll = async () => {
    go('transfers');
    for (const { fileHash, fileName, fileSize: size } of files)
      await downloads.start({ kind: 'file', fileHash, fileName, size });
  };
  const removeAll = async () => {
    for (const { fileHash } of files) await call(deleteFile, { params: { hash: fileHash } });
    onClear();
    onChanged();
  };
  return (
    <div className="chosen">
      <span role="status" className="number">
        {say.list.selected(files.length)}
      </span>
      <div className="actions">
        <button type="button" className="plain" onClick={fetchAll}>
          <Icon name="download" /> {say.file.download}
        </button>
        <button type="button" className="plain" onClick={() => setAsking('proofs')}>
          <Icon name="seal" /> {say.file.proofs}
        </button>
        <button type="button" className="plain" onClick={() => setAsking('share')}>
          <Icon name="link" /> {say.file.share}
        </button>
        <button type="button" className="danger" onClick={() => setAsking('delete')}>
          <Icon name="remove" /> {say.file.remove}
        </button>
        <button type="button" className="bare" onClick={onClear}>
          {say.list.clear}
        </button>
      </div>
      {asking === 'proofs' && (
        <SaveProofsDialog files={files} onClose={() => setAsking(null)} onStart={() => go('transfers')} />
      )}
      {asking === 'share' && <ShareDialog files={files} onClose={() => setAsking(null)} />}
      {asking === 'delete' && (
        <AskDialog
          title={say.file.removeAsk(files.length)}
          text={say.file.removeText}
          yes={say.file.remove}
          act={removeAll}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}
