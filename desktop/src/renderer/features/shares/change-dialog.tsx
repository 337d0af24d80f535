// Dialog that changes a link: its terms, its texts, its files, and its recipients. Only changed fields are sent.

import { type Share, shareTypes, updateShare } from '@recordproof/shared/api/shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, Segments } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { LinkTextFields, type LinkTexts, toRecipients } from './link-text-fields.tsx';
import { type ListChange, noListChange, Recipients, ShareFiles } from './share-lists.tsx';
import { type Lifetime, minutesOf, toLimit } from './terms.ts';

type Changing = { readonly share: Share; readonly onChanged: () => void; readonly onClose: () => void };

/** Same as before: unchanged. An empty text removes it. */
function toTextChange(share: Share, { title, message, mailTo }: LinkTexts) {
  const addRecipients = toRecipients(mailTo);
  const [newTitle, newMessage] = [title.trim(), message.trim()];
  return {
    ...(newTitle !== (share.title ?? '') && { title: newTitle === '' ? null : newTitle }),
    ...(newMessage !== (share.message ?? '') && { message: newMessage === '' ? null : newMessage }),
    ...(addRecipients.length > 0 && { addRecipients }),
  };
}

const toListChange = ({ added, removed, unlisted }: ListChange) => ({
  ...(added.length > 0 && { addFiles: added.map(({ fileHash }) => fileHash) }),
  ...(removed.length > 0 && { removeFiles: [...removed] }),
  ...(unlisted.length > 0 && { removeRecipients: [...unlisted] }),
});

const typeNames = { [shareTypes.PUBLIC]: 'PUBLIC', [shareTypes.PRIVATE]: 'PRIVATE' } as const;

export function ChangeDialog({ share, onChanged, onClose }: Changing) {
  const { sharing: texts } = useTexts();
  const { links } = useWords(socialWords);
  const language = useLanguage();
  const { call } = useBridge();
  const [lifetime, setLifetime] = useState<Lifetime | 'keep'>('keep');
  const [who, setWho] = useState<keyof typeof shareTypes>(typeNames[share.shareType]);
  const [secret, setSecret] = useState<'keep' | 'other' | 'none'>('keep');
  const [password, setPassword] = useState('');
  const [limit, setLimit] = useState(String(share.maxAccesses ?? ''));
  const [linkTexts, setLinkTexts] = useState<LinkTexts>({
    title: share.title ?? '',
    message: share.message ?? '',
    mailTo: '',
  });
  const [lists, setLists] = useState(noListChange);
  const { run, isBusy, error } = useAction(async () => {
    const body = {
      ...toTextChange(share, linkTexts),
      ...toListChange(lists),
      maxAccesses: toLimit(limit),
      ...(lifetime !== 'keep' && { expireMinutes: minutesOf[lifetime] }),
      ...(shareTypes[who] !== share.shareType && { shareType: shareTypes[who] }),
      ...(secret === 'other' && { password }),
      ...(secret === 'none' && { password: null }),
    };
    await call(updateShare, { params: { code: share.shareCode }, body });
    onChanged();
    onClose();
  });
  const { hour, day, week, month } = texts;
  const lifetimes = { keep: links.keep, hour, day, week, month };
  const secrets = { keep: links.keep, other: links.newPassword, ...(share.hasPassword && { none: links.noPassword }) };
  return (
    <Dialog title={links.changeTitle} onClose={onClose}>
      <Form onSend={run}>
        <p className="quiet">{texts.until(formatTime(share.expireTime, language))}</p>
        <Segments label={links.endsFromNow} value={lifetime} options={lifetimes} onChoose={setLifetime} />
        <Segments
          label={texts.who}
          value={who}
          options={{ PUBLIC: texts.anyone, PRIVATE: texts.members }}
          onChoose={setWho}
        />
        <Segments label={texts.password} value={secret} options={secrets} onChoose={setSecret} />
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
        <Field
          label={texts.optionalLabel(links.limit)}
          type="number"
          inputMode="numeric"
          value={limit}
          onText={setLimit}
          min={1}
          max={1_000_000}
        />
        <LinkTextFields linkTexts={linkTexts} onChange={setLinkTexts} />
        <Recipients share={share} change={lists} onChange={setLists} />
        {!share.folder?.includesLater && <ShareFiles share={share} change={lists} onChange={setLists} />}
        <Problem error={error} />
        <button type="submit" disabled={isBusy}>
          {links.change}
        </button>
      </Form>
    </Dialog>
  );
}
