// Texts of the administration screens, loaded with them.
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useLanguage } from '../../context.ts';

export type AdminTexts = (typeof adminWords)['en'];
export const useAdminTexts = (): AdminTexts => adminWords[useLanguage()];
