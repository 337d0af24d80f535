// Actions on a friend: write, send files, rename, remove.
import type { File } from '@recordproof/shared/api/files.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { type Friend, unfriend, updateRemark } from '@recordproof/shared/api/friends.ts';
import { maxSharedFiles } from '@recordproof/shared/api/shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { toHref } from '../../router.ts';
import { Button, type ButtonVariant } from '../../ui/button.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { toName } from '../../ui/person.tsx';
import { FilePicker } from '../files/file-picker.tsx';
import { ShareMessage } from '../friend-shares/friend-form.tsx';

type Acting = { readonly friend: Friend; readonly onChanged: () => void };
type Asking = 'files' | 'name' | 'end';

export function FriendActions({ friend, onChanged }: Acting) {
  const { people: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [asking, setAsking] = useState<Asking | null>(null);
  const name = toName(friend);
  const close = () => setAsking(null);
  const end = async () => {
    await call(unfriend, { params: { id: friend.externalId } });
    onChanged();
  };
  const button = (what: Asking, label: string, variant: ButtonVariant) => (
    <Button label={label} of={name} variant={variant} onClick={() => setAsking(what)} />
  );
  return (
    <div className="actions">
      <a className="button plain" href={toHref(`messages/${friend.externalId}`)} aria-label={`${texts.write}: ${name}`}>
        {texts.write}
      </a>
      {button('files', texts.sendFiles, 'plain')}
      {button('name', texts.rename, 'bare')}
      {button('end', texts.end, 'bare')}
      {asking === 'files' && <SendFilesDialog friend={friend} onClose={close} />}
      {asking === 'name' && <NameDialog friend={friend} onChanged={onChanged} onClose={close} />}
      {asking === 'end' && (
        <AskDialog title={texts.endAsk(name)} text={texts.endText} yes={texts.end} act={end} onClose={close} />
      )}
    </div>
  );
}

function NameDialog({ friend, onChanged, onClose }: Acting & { readonly onClose: () => void }) {
  const { me } = useTexts();
  const { people: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [remark, setRemark] = useState(friend.remark ?? '');
  const action = useAction(async () => {
    await call(updateRemark, { params: { id: friend.externalId }, body: { remark: remark.trim() || null } });
    onChanged();
    onClose();
  });
  return (
    <Dialog title={texts.renameTitle} onClose={onClose}>
      <ActionForm action={action} submit={me.save}>
        <Field
          label={texts.ownName(friend.nickname ?? friend.username)}
          value={remark}
          onText={setRemark}
          maxLength={50}
          dir="auto"
          autoFocus
          autoComplete="off"
        />
      </ActionForm>
    </Dialog>
  );
}

type Sending = { readonly friend: Friend; readonly onClose: () => void };

/** Shares files with a friend who is chosen already. */
function SendFilesDialog({ friend, onClose }: Sending) {
  const { gifts: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [message, setMessage] = useState('');
  const [isSent, setSent] = useState(false);
  const action = useAction(async () => {
    const fileHashes = files.map(({ fileHash }) => fileHash);
    await call(shareWithFriend, { body: { friendId: friend.externalId, fileHashes, message } });
    setSent(true);
  });
  if (isSent)
    return (
      <Dialog title={texts.sentTitle} onClose={onClose}>
        <p role="status">{texts.sentTo(toName(friend))}</p>
      </Dialog>
    );
  return (
    <Dialog title={texts.sendTitle(toName(friend))} onClose={onClose}>
      <ActionForm action={action} submit={texts.sendMany(files.length)} isComplete={files.length > 0}>
        <FilePicker chosen={files} onChoose={setFiles} most={maxSharedFiles} />
        <ShareMessage value={message} onText={setMessage} />
      </ActionForm>
    </Dialog>
  );
}
