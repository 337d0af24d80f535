// Dialog that changes the terms of a drop link.
import { type DropLink, updateDropLink } from '@recordproof/shared/api/drop-links.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { useTermChange } from '../shares/link-fields.tsx';
import { LimitFields, TextFields, termsOf, toTerms } from './drop-form.tsx';

type Changing = { readonly link: DropLink; readonly onChanged: () => void; readonly onClose: () => void };

export function ChangeDropDialog({ link, onChanged, onClose }: Changing) {
  const texts = useWords(dropLinkWords);
  const { day, week, month } = useTexts().sharing;
  const { call } = useBridge();
  const [terms, setTerms] = useState(termsOf(link));
  const { termChange, lifetimeField, passwordFields } = useTermChange({
    hasPassword: link.hasPassword,
    endsLabel: texts.endsFromNow,
    lifetimes: { day, week, month },
  });
  const action = useAction(async () => {
    const isSame = terms.maxMegabytes === termsOf(link).maxMegabytes;
    const body = { ...toTerms(terms), ...(isSame && { maxBytes: link.maxBytes }), ...termChange };
    await call(updateDropLink, { params: { id: link.id }, body });
    onChanged();
    onClose();
  });
  return (
    <Dialog title={texts.changeTitle} onClose={onClose}>
      <ActionForm action={action} submit={texts.change}>
        <TextFields terms={terms} onTerms={setTerms} />
        {lifetimeField}
        {passwordFields}
        <LimitFields terms={terms} onTerms={setTerms} />
      </ActionForm>
    </Dialog>
  );
}
