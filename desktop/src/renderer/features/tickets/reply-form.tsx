import type { File } from '@recordproof/shared/api/files.ts';
import {
  maxAttachments,
  maxTicketContent,
  replyToTicket,
  type Ticket,
  ticketStatus,
} from '@recordproof/shared/api/tickets.ts';
import { useState } from 'react';
import { useSocialSay } from '../../social-say.ts';
import { useBridge } from '../../surroundings.ts';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { useAction } from '../../ui/use-action.ts';
import { FilePicker } from '../files/file-picker.tsx';

type Replying = { readonly ticket: Ticket; readonly onReplied: () => void };

export function ReplyForm({ ticket, onReplied }: Replying) {
  const { help: say } = useSocialSay();
  const { call } = useBridge();
  const [content, setContent] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  const { run, isBusy, error } = useAction(async () => {
    const body = { content, attachmentIds: files.map(({ id }) => id) };
    await call(replyToTicket, { params: { id: ticket.id }, body });
    setContent('');
    setFiles([]);
    onReplied();
  });
  if (ticket.status === ticketStatus.CLOSED) return <p className="quiet">{say.isClosed}</p>;
  return (
    <Form onSend={run}>
      <TextArea label={say.reply} value={content} onText={setContent} required maxLength={maxTicketContent} rows={3} />
      <details>
        <summary>{say.attach}</summary>
        <p className="quiet small">{say.attachHint}</p>
        <FilePicker chosen={files} onChoose={setFiles} most={maxAttachments} />
      </details>
      <Problem error={error} />
      <div className="actions">
        <button type="submit" disabled={isBusy}>
          {say.sendReply}
        </button>
      </div>
    </Form>
  );
}
