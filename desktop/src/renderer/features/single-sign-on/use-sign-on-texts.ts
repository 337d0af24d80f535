// Texts of single sign-on, loaded with their screens.
import { type SignOnTexts, signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useLanguage } from '../../context.ts';

export const useSignOnTexts = (): SignOnTexts => signOnWords[useLanguage()];
