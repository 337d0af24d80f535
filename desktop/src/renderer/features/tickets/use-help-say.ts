import { helpWords } from '@recordproof/shared/words/app-help.ts';
import { useLanguage } from '../../surroundings.ts';

export const useHelpSay = () => helpWords[useLanguage()];
