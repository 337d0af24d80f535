// Texts of folders and the trash, loaded with the files screen.
import { type FolderSay, folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useLanguage } from '../../context.ts';

export const useFolderSay = (): FolderSay => folderWords[useLanguage()];
