// Texts of drop links, loaded with their screens.
import { type DropLinkSay, dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useLanguage } from '../../context.ts';

export const useDropSay = (): DropLinkSay => dropLinkWords[useLanguage()];
