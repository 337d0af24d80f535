import { ticketStatus } from '@recordproof/shared/api/tickets.ts';
import { changeOwn } from '../change-own.ts';

export default changeOwn(ticketStatus.PROCESSING, {
  verb: 'reopen',
  summary: 'Say that a ticket of yours is not solved',
  description: 'For tickets that an administrator has set to confirming.',
});
