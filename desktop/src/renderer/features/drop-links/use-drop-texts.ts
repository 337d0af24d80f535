// Texts of drop links, loaded with their screens.
import { type DropLinkTexts, dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useLanguage } from '../../context.ts';

export const useDropTexts = (): DropLinkTexts => dropLinkWords[useLanguage()];
