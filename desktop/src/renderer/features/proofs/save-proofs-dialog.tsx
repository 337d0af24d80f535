// Dialog that saves the proofs of files: each as an archive with separate voucher files, or as one file.
import type { File } from '@recordproof/shared/api/files.ts';
import { useState } from 'react';
import type { ProofForm } from '../../../bridge/bridge.ts';
import { useBridge, useTexts } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ActionForm, Segments } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';

type Saving = {
  readonly files: readonly File[];
  readonly onClose: () => void;
};

export function SaveProofsDialog({ files, onClose }: Saving) {
  const texts = useTexts();
  const { downloads } = useBridge();
  const [form, setForm] = useState<ProofForm>('proof');
  const proven = files.filter(({ proofStatus }) => proofStatus === 'ISSUED');
  const action = useAction(async () => {
    for (const { id, fileName } of proven)
      await downloads.start({ kind: 'proof', fileId: id, fileName: `${fileName}.${form}.zip`, form });
    onClose();
  });
  return (
    <Dialog title={texts.file.saveProofs(proven.length)} onClose={onClose}>
      <ActionForm
        action={action}
        submit={texts.file.save}
        isComplete={proven.length > 0}
        beside={<Button label={texts.cancel} variant="plain" onClick={onClose} />}
      >
        <Segments label={texts.file.proofForm} value={form} options={texts.file.proofForms} onChoose={setForm} />
        <p className="quiet small">{texts.file.proofFormHints[form]}</p>
        {proven.length < files.length && <p>{texts.file.withoutProof(files.length - proven.length)}</p>}
      </ActionForm>
    </Dialog>
  );
}
