import { ticketStatus } from '@recordproof/shared/api/tickets.ts';
import { changeOwn } from '../change-own.ts';

export default changeOwn(ticketStatus.COMPLETED, {
  verb: 'confirm',
  summary: 'Say that a ticket of yours is solved',
  description: 'For tickets that an administrator has set to confirming.',
});
