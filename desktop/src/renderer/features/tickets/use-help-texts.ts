// Texts of the ticket screens of administrators, loaded with them.
import { ticketAdminTexts } from '@recordproof/shared/words/app-ticket-admin.ts';
import { useLanguage } from '../../context.ts';

export const useHelpTexts = () => ticketAdminTexts[useLanguage()];
