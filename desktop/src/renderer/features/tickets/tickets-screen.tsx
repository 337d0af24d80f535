// What one has asked the administrators, and what became of it.
import { listTickets, type Ticket } from '@recordproof/shared/api/tickets.ts';
import { useState } from 'react';
import { formatTime } from '../../format.ts';
import { go, toHref, usePlace } from '../../router.ts';
import { useSocialSay } from '../../social-say.ts';
import { useAccount, useBridge, useLanguage, useSay } from '../../surroundings.ts';
import { Listed } from '../../ui/listed.tsx';
import { Panes } from '../../ui/panes.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useEvents } from '../../ui/use-events.ts';
import { usePages } from '../../ui/use-pages.ts';
import { NewTicketDialog } from './new-ticket-dialog.tsx';
import { StatusChip } from './status-chip.tsx';
import { TicketView } from './ticket-view.tsx';

export function TicketsScreen() {
  const say = useSay();
  const { help } = useSocialSay();
  const { call } = useBridge();
  const { rest: id } = usePlace();
  const mayWrite = useAccount().permissions.includes('ticket:write');
  const [isAsking, setAsking] = useState(false);
  const pages = usePages('tickets', (page, signal) => call(listTickets, { query: page, signal }));
  useEvents(['ticket-updated'], pages.reload);
  const opened = (ticket: Ticket) => {
    setAsking(false);
    pages.reload();
    go(`tickets/${ticket.id}`);
  };
  const list = (
    <>
      <header className="head">
        <h1>{say.tickets}</h1>
        <div className="actions">
          {mayWrite && (
            <button type="button" onClick={() => setAsking(true)}>
              {help.open}
            </button>
          )}
        </div>
      </header>
      <Listed of={pages} empty={<EmptyState icon="tickets" title={help.none} text={help.noneText} />}>
        {tickets => (
          <ul className="entries">
            {tickets.map(ticket => (
              <li key={ticket.id}>
                <TicketLine ticket={ticket} isHere={ticket.id === id} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </>
  );
  const detail = id === '' ? null : <TicketView key={id} id={id} onChanged={pages.reload} />;
  return (
    <>
      <Panes label={say.tickets} hint={help.choose} list={list} detail={detail} />
      {isAsking && <NewTicketDialog onOpened={opened} onClose={() => setAsking(false)} />}
    </>
  );
}

function TicketLine({ ticket, isHere }: { readonly ticket: Ticket; readonly isHere: boolean }) {
  const { help } = useSocialSay();
  const language = useLanguage();
  const { id, title, ticketNo, status, replyCount, updatedAt } = ticket;
  return (
    <a className="faceless" href={toHref(`tickets/${id}`)} {...(isHere && { 'aria-current': true })}>
      <span className="name">
        <bdi className="cut">
          <strong>{title}</strong>
        </bdi>
      </span>
      <time className="quiet small">{formatTime(updatedAt, language)}</time>
      <span className="about">
        <StatusChip status={status} />
        <span className="number">{ticketNo}</span>
        {replyCount > 0 && <span className="number">{help.replies(replyCount)}</span>}
      </span>
    </a>
  );
}
