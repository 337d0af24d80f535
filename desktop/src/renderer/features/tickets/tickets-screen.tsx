// Tickets screen: own tickets, and for administrators those of all accounts.
import { listAllTickets, listTickets, type Ticket } from '@recordproof/shared/api/tickets.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { ticketAdminTexts } from '@recordproof/shared/words/app-ticket-admin.ts';
import { useAccount, useBridge, useLanguage, useTitle, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { go, toHref, useRoute } from '../../router.ts';
import { useBadge } from '../../ui/badges.tsx';
import { Button } from '../../ui/button.tsx';
import { useDraft } from '../../ui/drafts.ts';
import { useEvents, usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { Panes, ScreenHead, Tabs } from '../../ui/panes.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { NewTicketDialog } from './new-ticket-dialog.tsx';
import { StatusChip } from './ticket-status.tsx';
import { TicketView } from './ticket-view.tsx';

export function TicketsScreen() {
  const title = useTitle();
  const { help } = useWords(socialWords);
  const { call } = useBridge();
  const answering = useWords(ticketAdminTexts);
  const { permissions } = useAccount();
  const mayWrite = permissions.includes('ticket:write');
  const mayAnswer = permissions.includes('ticket:admin');
  const [part = '', rest = ''] = useRoute().rest.split('/');
  const isEveryones = mayAnswer && part === 'everyone';
  const id = isEveryones ? rest : part;
  const route = isEveryones ? 'tickets/everyone' : 'tickets';
  const [asking, setAsking] = useDraft<'' | 'open'>('ticket', '');
  const pages = usePages(route, (page, signal) =>
    call(isEveryones ? listAllTickets : listTickets, { query: page, signal }),
  );
  useEvents(['ticket-updated'], pages.reload);
  const badge = useBadge();
  const changed = () => {
    pages.reload();
    badge.recount();
  };
  const opened = (ticket: Ticket) => {
    setAsking('');
    changed();
    go(`tickets/${ticket.id}`);
  };
  const none = isEveryones ? answering : help;
  const list = (
    <>
      <ScreenHead>
        <div className="actions">{mayWrite && <Button label={help.open} onClick={() => setAsking('open')} />}</div>
      </ScreenHead>
      {mayAnswer && (
        <Tabs
          label={title}
          tabs={[
            { href: toHref('tickets'), text: answering.own, isHere: !isEveryones },
            { href: toHref('tickets/everyone'), text: answering.everyone, isHere: isEveryones },
          ]}
        />
      )}
      <PagedList
        of={pages}
        className="entries"
        by="id"
        empty={<EmptyState icon="tickets" title={none.none} text={none.noneText} />}
      >
        {ticket => <TicketLine ticket={ticket} isHere={ticket.id === id} route={route} isFromOthers={isEveryones} />}
      </PagedList>
    </>
  );
  const detail =
    id === '' ? null : <TicketView key={id} id={id} back={route} answers={isEveryones} onChanged={changed} />;
  return (
    <>
      <Panes label={title} hint={help.choose} list={list} detail={detail} />
      {asking === 'open' && <NewTicketDialog onOpened={opened} onClose={() => setAsking('')} />}
    </>
  );
}

type Line = {
  readonly ticket: Ticket;
  readonly isHere: boolean;
  /** The address of its list. */
  readonly route: string;
  readonly isFromOthers: boolean;
};

function TicketLine({ ticket, isHere, route, isFromOthers }: Line) {
  const { help } = useWords(socialWords);
  const answering = useWords(ticketAdminTexts);
  const language = useLanguage();
  const { id, title, ticketNo, status, replyCount, updatedAt } = ticket;
  return (
    <a className="faceless" href={toHref(`${route}/${id}`)} {...(isHere && { 'aria-current': true })}>
      <span className="name">
        <bdi className="cut">
          <strong>{title}</strong>
        </bdi>
      </span>
      <time className="quiet small">{formatTime(updatedAt, language)}</time>
      <span className="about">
        <StatusChip status={status} answers={isFromOthers} />
        <span className="number">{ticketNo}</span>
        {isFromOthers && <bdi className="cut">{answering.from(ticket.creatorName)}</bdi>}
        {replyCount > 0 && <span className="number">{help.replies(replyCount)}</span>}
      </span>
    </a>
  );
}
