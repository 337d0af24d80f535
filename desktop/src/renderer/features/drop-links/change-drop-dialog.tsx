// Dialog that changes the terms of a drop link.

import { type DropLink, updateDropLink } from '@recordproof/shared/api/drop-links.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, Segments } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { type Lifetime, minutesOf } from '../shares/terms.ts';
import { LimitFields, TextFields } from './drop-form.tsx';
import { termsOf, toTerms } from './drop-terms.ts';

type Changing = { readonly link: DropLink; readonly onChanged: () => void; readonly onClose: () => void };

export function ChangeDropDialog({ link, onChanged, onClose }: Changing) {
  const texts = useWords(dropLinkWords);
  const { sharing } = useTexts();
  const { links } = useWords(socialWords);
  const { call } = useBridge();
  const [terms, setTerms] = useState(termsOf(link));
  const [lifetime, setLifetime] = useState<Lifetime | 'keep'>('keep');
  const [secret, setSecret] = useState<'keep' | 'other' | 'none'>('keep');
  const [password, setPassword] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    const isSame = terms.maxMegabytes === termsOf(link).maxMegabytes;
    const body = {
      ...toTerms(terms),
      ...(isSame && { maxBytes: link.maxBytes }),
      ...(lifetime !== 'keep' && { expireMinutes: minutesOf[lifetime] }),
      ...(secret === 'other' && { password }),
      ...(secret === 'none' && { password: null }),
    };
    await call(updateDropLink, { params: { id: link.id }, body });
    onChanged();
    onClose();
  });
  const { day, week, month } = sharing;
  const lifetimes = { keep: links.keep, day, week, month };
  const secrets = { keep: links.keep, other: links.newPassword, ...(link.hasPassword && { none: links.noPassword }) };
  return (
    <Dialog title={texts.changeTitle} onClose={onClose}>
      <Form onSend={run}>
        <TextFields terms={terms} onTerms={setTerms} />
        <Segments label={texts.endsFromNow} value={lifetime} options={lifetimes} onChoose={setLifetime} />
        <Segments label={sharing.password} value={secret} options={secrets} onChoose={setSecret} />
        {secret === 'other' && (
          <Field
            label={links.newPassword}
            type="password"
            value={password}
            onText={setPassword}
            autoComplete="off"
            required
            minLength={4}
            maxLength={64}
          />
        )}
        <LimitFields terms={terms} onTerms={setTerms} />
        <Problem error={error} />
        <button type="submit" disabled={isBusy}>
          {texts.change}
        </button>
      </Form>
    </Dialog>
  );
}
