// One ticket: question, replies, and the actions that its status allows.
import { getTicket, type TicketAttachment, type TicketDetails } from '@recordproof/shared/api/tickets.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useAccount, useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { PaneHead } from '../../ui/panes.tsx';
import { NotLoaded } from '../../ui/states.tsx';
import { ReplyForm } from './reply-form.tsx';
import { AnsweringActions, StatusChip, TicketActions } from './ticket-status.tsx';

const repliesAtOnce = 100;

type Viewing = {
  readonly id: string;
  /** The list that contains it. */
  readonly back: string;
  /** Whether the reader answers it, as an administrator. */
  readonly answers: boolean;
  readonly onChanged: () => void;
};

export function TicketView({ id, back, answers, onChanged }: Viewing) {
  const { call } = useBridge();
  const mayWrite = useAccount().permissions.includes('ticket:write');
  const [page, setPage] = useState(1);
  const { state, reload } = useLoad(`${id} ${page}`, signal =>
    call(getTicket, { params: { id }, query: { page, size: repliesAtOnce, sort: 'createdAt,asc' }, signal }),
  );
  useEvents(['ticket-updated'], reload);
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  const ticket = state.value;
  const Actions = answers ? AnsweringActions : TicketActions;
  const changed = () => {
    reload();
    onChanged();
  };
  return (
    <>
      <PaneHead title={ticket.title} back={toHref(back)}>
        {(mayWrite || answers) && <Actions ticket={ticket} onChanged={changed} />}
      </PaneHead>
      <div className="scroll">
        <TicketText ticket={ticket} answers={answers} />
        <Replies ticket={ticket} onPage={setPage} />
        {mayWrite && <ReplyForm ticket={ticket} answers={answers} onReplied={changed} />}
      </div>
    </>
  );
}

type Text = { readonly ticket: TicketDetails; readonly answers: boolean };

function TicketText({ ticket, answers }: Text) {
  const { help: texts } = useWords(socialWords);
  const language = useLanguage();
  return (
    <>
      <p className="about">
        <StatusChip status={ticket.status} answers={answers} />
        <span className="number">{ticket.ticketNo}</span>
        <span>{formatTime(ticket.createdAt, language)}</span>
        {ticket.assigneeName !== null && <span>{texts.with(ticket.assigneeName)}</span>}
      </p>
      <p className="text" dir="auto">
        {ticket.content}
      </p>
      <Attachments files={ticket.attachments} />
    </>
  );
}

type Answers = { readonly ticket: TicketDetails; readonly onPage: (page: number) => void };

function Replies({ ticket: { replies }, onPage }: Answers) {
  const { more } = useTexts();
  const { help: texts } = useWords(socialWords);
  const language = useLanguage();
  const { current, pages, records } = replies;
  return (
    <>
      {current > 1 && <Button label={texts.earlier} variant="plain" onClick={() => onPage(current - 1)} />}
      <ol className="replies">
        {records.map(reply => (
          <li key={reply.id}>
            <p className="about">
              <bdi>
                <strong>{reply.authorName}</strong>
              </bdi>
              {reply.fromAdministrator && <span className="chip">{texts.administrator}</span>}
              {reply.isInternal && <span className="chip open">{texts.internal}</span>}
              <time>{formatTime(reply.createdAt, language)}</time>
            </p>
            <p className="text" dir="auto">
              {reply.content}
            </p>
            <Attachments files={reply.attachments} />
          </li>
        ))}
      </ol>
      {current < pages && <Button label={more} variant="plain" onClick={() => onPage(current + 1)} />}
    </>
  );
}

function Attachments({ files }: { readonly files: readonly TicketAttachment[] }) {
  const { help: texts } = useWords(socialWords);
  if (files.length === 0) return null;
  return (
    <ul className="attachments" aria-label={texts.attached}>
      {files.map(file => (
        <li key={file.fileId}>
          <bdi className="cut">{toShownName(file.fileName)}</bdi>
          <span className="quiet small number">{formatSize(file.fileSize)}</span>
        </li>
      ))}
    </ul>
  );
}
