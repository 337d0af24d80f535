import type { File } from '@recordproof/shared/api/files.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import type { Friend } from '@recordproof/shared/api/friends.ts';
import { maxSharedFiles } from '@recordproof/shared/api/shares.ts';
import { useState } from 'react';
import { useSocialSay } from '../../social-say.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { toName } from '../../ui/person.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { FilePicker } from '../files/file-picker.tsx';

type Sending = { readonly friend: Friend; readonly onClose: () => void };

/** The other way round: a friend first, then the files. */
export function SendFilesDialog({ friend, onClose }: Sending) {
  const { sharing } = useSay();
  const { gifts: say } = useSocialSay();
  const { call } = useBridge();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [message, setMessage] = useState('');
  const [isSent, setSent] = useState(false);
  const { run, isBusy, error } = useAction(async () => {
    const fileHashes = files.map(({ fileHash }) => fileHash);
    await call(shareWithFriend, { body: { friendId: friend.externalId, fileHashes, message } });
    setSent(true);
  });
  if (isSent)
    return (
      <Dialog title={say.sentTitle} onClose={onClose}>
        <p role="status">{say.sentTo(toName(friend))}</p>
      </Dialog>
    );
  return (
    <Dialog title={say.sendTitle(toName(friend))} onClose={onClose}>
      <Form onSend={run}>
        <FilePicker chosen={files} onChoose={setFiles} most={maxSharedFiles} />
        <Field
          label={`${say.message} (${sharing.optional})`}
          value={message}
          onText={setMessage}
          maxLength={255}
          dir="auto"
          autoComplete="off"
        />
        <Problem error={error} />
        <button type="submit" disabled={isBusy || files.length === 0}>
          {say.sendMany(files.length)}
        </button>
      </Form>
    </Dialog>
  );
}
