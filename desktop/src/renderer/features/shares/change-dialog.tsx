// Dialog that changes a link: its terms, its texts, its files, and its recipients. Only changed fields are sent.
import { type Share, shareTypes, updateShare } from '@recordproof/shared/api/shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ActionForm, Segments } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { LimitField, LinkTextFields, type LinkTexts, toLimit, toRecipients, useTermChange } from './link-fields.tsx';
import { type ListChange, noListChange, Recipients, ShareFiles } from './share-lists.tsx';

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
  const [who, setWho] = useState<keyof typeof shareTypes>(typeNames[share.shareType]);
  const [limit, setLimit] = useState(String(share.maxAccesses ?? ''));
  const [linkTexts, setLinkTexts] = useState<LinkTexts>({
    title: share.title ?? '',
    message: share.message ?? '',
    mailTo: '',
  });
  const [lists, setLists] = useState(noListChange);
  const { hour, day, week, month } = texts;
  const { termChange, lifetimeField, passwordFields } = useTermChange({
    hasPassword: share.hasPassword,
    endsLabel: links.endsFromNow,
    lifetimes: { hour, day, week, month },
  });
  const action = useAction(async () => {
    const body = {
      ...toTextChange(share, linkTexts),
      ...toListChange(lists),
      maxAccesses: toLimit(limit),
      ...(shareTypes[who] !== share.shareType && { shareType: shareTypes[who] }),
      ...termChange,
    };
    await call(updateShare, { params: { code: share.shareCode }, body });
    onChanged();
    onClose();
  });
  return (
    <Dialog title={links.changeTitle} onClose={onClose}>
      <ActionForm action={action} submit={links.change}>
        <p className="quiet">{texts.until(formatTime(share.expireTime, language))}</p>
        {lifetimeField}
        <Segments
          label={texts.who}
          value={who}
          options={{ PUBLIC: texts.anyone, PRIVATE: texts.members }}
          onChoose={setWho}
        />
        {passwordFields}
        <LimitField value={limit} onText={setLimit} />
        <LinkTextFields linkTexts={linkTexts} onChange={setLinkTexts} />
        <Recipients share={share} change={lists} onChange={setLists} />
        {!share.folder?.includesLater && <ShareFiles share={share} change={lists} onChange={setLists} />}
      </ActionForm>
    </Dialog>
  );
}
