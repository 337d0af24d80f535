import { type SignOnSay, signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useLanguage } from '../../context.ts';

export const useSignOnSay = (): SignOnSay => signOnWords[useLanguage()];
