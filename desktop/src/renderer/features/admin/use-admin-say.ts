// Texts of the administration screens, loaded with them.
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useLanguage } from '../../context.ts';

export type AdminSay = (typeof adminWords)['en'];
export const useAdminSay = (): AdminSay => adminWords[useLanguage()];
