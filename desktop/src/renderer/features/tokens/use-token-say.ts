import { type TokenSay, tokenWords } from '@recordproof/shared/words/app-tokens.ts';
import { useLanguage } from '../../context.ts';

export const useTokenSay = (): TokenSay => tokenWords[useLanguage()];
