// Form that makes a link to files or to a folder.
import type { File } from '@recordproof/shared/api/files.ts';
import { createShare, type Share, shareTypes } from '@recordproof/shared/api/shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { ActionForm, Segments } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import {
  type Lifetime,
  LimitField,
  LinkPassword,
  LinkTextFields,
  type LinkTexts,
  minutesOf,
  toLimit,
  toRecipients,
} from './link-fields.tsx';

type LinkFormProps = {
  readonly files: readonly File[];
  /** Instead of files. */
  readonly folder?: string | undefined;
  readonly onMade: (share: Share) => void;
};

export function LinkForm({ files, folder, onMade }: LinkFormProps) {
  const { sharing: texts } = useTexts();
  const { links } = useWords(socialWords);
  const { call } = useBridge();
  const [lifetime, setLifetime] = useState<Lifetime>('week');
  const [who, setWho] = useState<keyof typeof shareTypes>('PUBLIC');
  const [gives, setGives] = useState<'fixed' | 'later'>(files.length === 0 ? 'later' : 'fixed');
  const [password, setPassword] = useState('');
  const [limit, setLimit] = useState('');
  const [linkTexts, setLinkTexts] = useState<LinkTexts>({ title: '', message: '', mailTo: '' });
  const action = useAction(async () => {
    const maxAccesses = toLimit(limit);
    const addRecipients = toRecipients(linkTexts.mailTo);
    const [title, message] = [linkTexts.title.trim(), linkTexts.message.trim()];
    const body = {
      ...(folder === undefined
        ? { fileHash: files.map(({ fileHash }) => fileHash) }
        : { folder, includesLater: gives === 'later' }),
      expireMinutes: minutesOf[lifetime],
      shareType: shareTypes[who],
      ...(password !== '' && { password }),
      ...(maxAccesses !== null && { maxAccesses }),
      ...(title !== '' && { title }),
      ...(message !== '' && { message }),
      ...(addRecipients.length > 0 && { addRecipients }),
    };
    onMade(await call(createShare, { body }));
  });
  const { hour, day, week, month } = texts;
  return (
    <ActionForm action={action} submit={texts.create}>
      <p className="quiet">{texts.lead}</p>
      {folder !== undefined && (
        <Segments
          label={links.gives}
          value={gives}
          options={{ fixed: links.fixed, later: links.later }}
          onChoose={setGives}
        />
      )}
      <Segments label={texts.ends} value={lifetime} options={{ hour, day, week, month }} onChoose={setLifetime} />
      <Segments
        label={texts.who}
        value={who}
        options={{ PUBLIC: texts.anyone, PRIVATE: texts.members }}
        onChoose={setWho}
      />
      <div className="pair">
        <LinkPassword label={texts.optionalLabel(texts.password)} value={password} onText={setPassword} />
        <LimitField value={limit} onText={setLimit} />
      </div>
      <details className="elsewhere">
        <summary>{links.more}</summary>
        <div className="form">
          <LinkTextFields linkTexts={linkTexts} onChange={setLinkTexts} />
        </div>
      </details>
    </ActionForm>
  );
}
