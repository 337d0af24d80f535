// Texts of the ticket screens of administrators, loaded with them.
import { helpWords } from '@recordproof/shared/words/app-help.ts';
import { useLanguage } from '../../context.ts';

export const useHelpTexts = () => helpWords[useLanguage()];
