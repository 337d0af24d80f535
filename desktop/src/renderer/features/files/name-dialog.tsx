// Dialog for one name: of a new folder, of a folder, of a file.
import type { File } from '@recordproof/shared/api/files.ts';
import { move } from '@recordproof/shared/api/folders.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useEffect, useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { isNameTaken } from './use-move.ts';

type Naming = {
  readonly title: string;
  readonly first?: string;
  readonly submit: string;
  readonly act: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
};

export function NameDialog({ title, first = '', submit, act, onClose }: Naming) {
  const { list } = useTexts();
  const texts = useWords(folderWords);
  const [name, setName] = useState(first);
  useEffect(() => {
    if (document.activeElement instanceof HTMLInputElement) selectStem(document.activeElement);
  }, []);
  const action = useAction(async () => {
    await act(name.trim());
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <ActionForm
        action={action}
        submit={submit}
        isComplete={name.trim() !== '' && name.trim() !== first}
        problem={
          isNameTaken(action.error) && (
            <p className="problem" role="alert">
              {texts.nameTaken}
            </p>
          )
        }
      >
        <Field
          label={list.name}
          value={name}
          onText={setName}
          required
          autoFocus
          maxLength={255}
          pattern="[^\/\\]+"
          title={texts.nameRule}
          dir="auto"
          autoComplete="off"
        />
      </ActionForm>
    </Dialog>
  );
}

type RenamingFile = { readonly file: File; readonly onRenamed: () => void; readonly onClose: () => void };

export function RenameFileDialog({ file: { fileHash, fileName }, onRenamed, onClose }: RenamingFile) {
  const texts = useWords(folderWords);
  const { call } = useBridge();
  const rename = async (name: string) => {
    await call(move, { body: { fileHash: [fileHash], fileName: name, onConflict: 'fail' } });
    onRenamed();
  };
  return <NameDialog title={texts.renameFile} first={fileName} submit={texts.rename} act={rename} onClose={onClose} />;
}

/** Without the extension, which people keep. */
function selectStem(input: HTMLInputElement): void {
  const dot = input.value.lastIndexOf('.');
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length);
}
