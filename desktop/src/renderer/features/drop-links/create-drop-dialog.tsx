// Dialog that creates a drop link into a folder, and then shows it.
import { createDropLink, type DropLink } from '@recordproof/shared/api/drop-links.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ActionForm, Checkbox, Field, Segments } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { type Lifetime, LinkPassword, minutesOf } from '../shares/link-fields.tsx';
import { firstTerms, LimitFields, TextFields, toFields, toTerms } from './drop-form.tsx';
import { DropLinkView } from './drop-link-view.tsx';

type Creating = { readonly folder: string; readonly onCreated?: () => void; readonly onClose: () => void };

export function CreateDropDialog({ folder: first, onCreated, onClose }: Creating) {
  const texts = useWords(dropLinkWords);
  const { sharing } = useTexts();
  const { call } = useBridge();
  const [made, setMade] = useState<DropLink | null>(null);
  const [terms, setTerms] = useState(firstTerms);
  const [folder, setFolder] = useState(first);
  const [lifetime, setLifetime] = useState<Lifetime>('week');
  const [name, setName] = useState(true);
  const [mail, setMail] = useState(false);
  const [others, setOthers] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    const path = folder.trim().replace(/^\/+|\/+$/g, '');
    const body = {
      ...toTerms(terms),
      fields: toFields({ name, mail, others }, texts),
      expireMinutes: minutesOf[lifetime],
      ...(path !== '' && { path }),
      ...(password !== '' && { password }),
    };
    setMade(await call(createDropLink, { body }));
    onCreated?.();
  });
  if (made)
    return (
      <Dialog title={texts.readyTitle} onClose={onClose}>
        <DropLinkView code={made.code} />
      </Dialog>
    );
  const { day, week, month } = sharing;
  return (
    <Dialog title={texts.createTitle(first)} onClose={onClose}>
      <ActionForm action={action} submit={texts.create}>
        <p className="quiet">{texts.lead}</p>
        <TextFields terms={terms} onTerms={setTerms} />
        {first === '' && <Field label={texts.folder} hint={texts.folderHint} value={folder} onText={setFolder} />}
        <Segments label={texts.ends} value={lifetime} options={{ day, week, month }} onChoose={setLifetime} />
        <fieldset className="choices">
          <legend>{texts.asksFor}</legend>
          <Checkbox label={texts.askName} checked={name} onCheck={setName} />
          <Checkbox label={texts.askMail} checked={mail} onCheck={setMail} />
        </fieldset>
        <Field
          label={sharing.optionalLabel(texts.others)}
          hint={texts.othersHint}
          value={others}
          onText={setOthers}
          maxLength={400}
        />
        <LinkPassword label={sharing.optionalLabel(sharing.password)} value={password} onText={setPassword} />
        <details>
          <summary>{texts.limits}</summary>
          <LimitFields terms={terms} onTerms={setTerms} />
        </details>
      </ActionForm>
    </Dialog>
  );
}
