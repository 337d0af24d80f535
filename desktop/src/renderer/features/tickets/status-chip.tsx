import { type TicketStatus, ticketStatus } from '@recordproof/shared/api/tickets.ts';
import { useSocialSay } from '../../social-say.ts';

const tones = {
  [ticketStatus.PENDING]: 'open',
  [ticketStatus.PROCESSING]: 'open',
  [ticketStatus.CONFIRMING]: 'bad',
  [ticketStatus.COMPLETED]: 'good',
  [ticketStatus.CLOSED]: '',
} as const;

export const StatusChip = ({ status }: { readonly status: TicketStatus }) => (
  <span className={`chip ${tones[status]}`}>{useSocialSay().help.status[status]}</span>
);
