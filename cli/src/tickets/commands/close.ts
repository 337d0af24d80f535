import { ticketStatus } from '@recordproof/shared/api/tickets.ts';
import { changeOwn } from '../change-own.ts';

export default changeOwn(ticketStatus.CLOSED, {
  verb: 'close',
  summary: 'Close a ticket of yours, for good',
  description: 'A ticket that waits for you to confirm is confirmed or reopened first.',
});
