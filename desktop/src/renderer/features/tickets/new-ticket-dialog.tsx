// Dialog that opens a ticket.
import type { File } from '@recordproof/shared/api/files.ts';
import {
  createTicket,
  maxAttachments,
  maxTicketContent,
  type Ticket,
  ticketCategory,
  ticketPriority,
} from '@recordproof/shared/api/tickets.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useDraft } from '../../ui/drafts.ts';
import { ActionForm, Field, Segments, TextArea } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { FilePicker } from '../files/file-picker.tsx';

type Opening = { readonly onOpened: (ticket: Ticket) => void; readonly onClose: () => void };

export function NewTicketDialog({ onOpened, onClose }: Opening) {
  const { help: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [title, setTitle] = useDraft('ticket-title', '');
  const [content, setContent] = useDraft('ticket-content', '');
  const [category, setCategory] = useDraft<keyof typeof ticketCategory>('ticket-category', 'QUESTION');
  const [priority, setPriority] = useDraft<keyof typeof ticketPriority>('ticket-priority', 'MEDIUM');
  const [files, setFiles] = useState<readonly File[]>([]);
  const action = useAction(async () => {
    const body = {
      title,
      content,
      category: ticketCategory[category],
      priority: ticketPriority[priority],
      attachmentIds: files.map(({ id }) => id),
    };
    const ticket = await call(createTicket, { body });
    setTitle('');
    setContent('');
    setCategory('QUESTION');
    setPriority('MEDIUM');
    onOpened(ticket);
  });
  return (
    <Dialog title={texts.open} onClose={onClose}>
      <ActionForm action={action} submit={texts.send}>
        <p className="quiet">{texts.lead}</p>
        <Field label={texts.title} value={title} onText={setTitle} required maxLength={200} autoFocus dir="auto" />
        <TextArea
          label={texts.content}
          value={content}
          onText={setContent}
          required
          maxLength={maxTicketContent}
          rows={5}
        />
        <Segments label={texts.categoryTitle} value={category} options={texts.category} onChoose={setCategory} />
        <Segments label={texts.priorityTitle} value={priority} options={texts.priority} onChoose={setPriority} />
        <details>
          <summary>{texts.attach}</summary>
          <p className="quiet small">{texts.attachHint}</p>
          <FilePicker chosen={files} onChoose={setFiles} most={maxAttachments} />
        </details>
      </ActionForm>
    </Dialog>
  );
}
