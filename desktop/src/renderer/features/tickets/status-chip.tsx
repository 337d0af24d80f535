// Chip with the status of a ticket.

import { type TicketStatus, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { ticketAdminTexts } from '@recordproof/shared/words/app-ticket-admin.ts';
import { useWords } from '../../context.ts';

const tones = {
  [ticketStatus.PENDING]: 'open',
  [ticketStatus.PROCESSING]: 'open',
  [ticketStatus.CONFIRMING]: 'bad',
  [ticketStatus.COMPLETED]: 'good',
  [ticketStatus.CLOSED]: '',
} as const;

type Shown = {
  readonly status: TicketStatus;
  /** Whether the reader answers tickets: the label depends on whose turn it is. */
  readonly answers: boolean;
};

export function StatusChip({ status, answers }: Shown) {
  const { help } = useWords(socialWords);
  const { asksOther } = useWords(ticketAdminTexts);
  const isAsked = answers && status === ticketStatus.CONFIRMING;
  return (
    <span className={`chip ${isAsked ? 'open' : tones[status]}`}>{isAsked ? asksOther : help.status[status]}</span>
  );
}
