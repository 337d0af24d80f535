// Texts of service accounts, loaded with their screens.
import { serviceWords } from '@recordproof/shared/words/app-services.ts';
import { useLanguage } from '../../context.ts';

export const useServiceTexts = (): (typeof serviceWords)['en'] => serviceWords[useLanguage()];
