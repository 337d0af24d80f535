// Texts of the desktop app's own settings, loaded with them.
import { programWords } from '@recordproof/shared/words/app-program.ts';
import { useLanguage } from '../../context.ts';

export const useProgramTexts = () => programWords[useLanguage()];
