// Form that replies to a ticket.
import type { File } from '@recordproof/shared/api/files.ts';
import {
  maxAttachments,
  maxTicketContent,
  replyToTicket,
  type Ticket,
  ticketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { ticketAdminTexts } from '@recordproof/shared/words/app-ticket-admin.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { useDraft } from '../../ui/drafts.ts';
import { ActionForm, Checkbox, TextArea } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { FilePicker } from '../files/file-picker.tsx';

type Replying = { readonly ticket: Ticket; readonly answers: boolean; readonly onReplied: () => void };

export function ReplyForm({ ticket, answers, onReplied }: Replying) {
  const { help: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [content, setContent] = useDraft(`reply-${ticket.id}`, '');
  const [files, setFiles] = useState<readonly File[]>([]);
  const [isInternal, setInternal] = useState(false);
  const answering = useWords(ticketAdminTexts);
  const action = useAction(async () => {
    const body = { content, attachmentIds: files.map(file => file.id), isInternal };
    await call(replyToTicket, { params: { id: ticket.id }, body });
    setContent('');
    setFiles([]);
    setInternal(false);
    onReplied();
  });
  if (ticket.status === ticketStatus.CLOSED) return <p className="quiet">{texts.isClosed}</p>;
  return (
    <ActionForm action={action} submit={texts.sendReply} inRow>
      <TextArea
        label={texts.reply}
        value={content}
        onText={setContent}
        required
        maxLength={maxTicketContent}
        rows={3}
      />
      {answers && (
        <Checkbox label={answering.internal} hint={answering.internalHint} checked={isInternal} onCheck={setInternal} />
      )}
      <details>
        <summary>{texts.attach}</summary>
        <p className="quiet small">{texts.attachHint}</p>
        <FilePicker chosen={files} onChoose={setFiles} most={maxAttachments} />
      </details>
    </ActionForm>
  );
}
