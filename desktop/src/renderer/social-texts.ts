// Texts of the social screens (shares, friends, messages, tickets), loaded with them.
import { peopleWords } from '@recordproof/shared/words/app-people.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useLanguage } from './context.ts';

const texts = {
  en: { ...socialWords.en, ...peopleWords.en },
  zh: { ...socialWords.zh, ...peopleWords.zh },
};

export const useSocialTexts = (): (typeof texts)['en'] => texts[useLanguage()];
