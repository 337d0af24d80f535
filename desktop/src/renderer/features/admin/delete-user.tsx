// Dialog that deletes an account permanently, after a confirmation that says what happens to its files.

import { type Account, deleteUser, type FilesOfDeleted } from '@recordproof/shared/api/accounts.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field, Segments } from '../../ui/form.tsx';

type DeleteProps = { readonly user: Account; readonly onDeleted: () => void };

export function DeleteUser({ user: { id, username }, onDeleted }: DeleteProps) {
  const texts = useWords(adminWords);
  const { call } = useBridge();
  const [isAsking, setAsking] = useState(false);
  const [files, setFiles] = useState<FilesOfDeleted>('keep');
  const [typed, setTyped] = useState('');
  const reason = typed.trim() === '' ? {} : { reason: typed.trim() };
  const act = async () => {
    await call(deleteUser, { params: { id }, query: { files, ...reason } });
    onDeleted();
  };
  return (
    <>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        {texts.user.remove}
      </button>
      {isAsking && (
        <AskDialog
          title={texts.user.removeAsk(username)}
          text={texts.user.removeText}
          yes={texts.user.remove}
          act={act}
          onClose={() => setAsking(false)}
        >
          <Segments
            label={texts.user.removeFiles}
            value={files}
            options={texts.user.removeFilesOf}
            onChoose={setFiles}
          />
          <Field label={texts.reason} hint={texts.reasonHint} value={typed} onText={setTyped} maxLength={256} />
        </AskDialog>
      )}
    </>
  );
}
