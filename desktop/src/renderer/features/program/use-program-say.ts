import { programWords } from '@recordproof/shared/words/app-program.ts';
import { useLanguage } from '../../surroundings.ts';

export const useProgramSay = () => programWords[useLanguage()];
