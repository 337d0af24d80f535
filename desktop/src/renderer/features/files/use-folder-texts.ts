// Texts of folders and the trash, loaded with the files screen.
import { type FolderTexts, folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useLanguage } from '../../context.ts';

export const useFolderTexts = (): FolderTexts => folderWords[useLanguage()];
