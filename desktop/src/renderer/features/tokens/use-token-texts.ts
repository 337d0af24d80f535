// Texts of API tokens, loaded with their screens.
import { type TokenTexts, tokenWords } from '@recordproof/shared/words/app-tokens.ts';
import { useLanguage } from '../../context.ts';

export const useTokenTexts = (): TokenTexts => tokenWords[useLanguage()];
