// Texts of the social screens (shares, friends, messages, tickets), loaded with them.
import { type SocialTexts, socialWords } from '@recordproof/shared/words/app-social.ts';
import { useLanguage } from './context.ts';

export const useSocialTexts = (): SocialTexts => socialWords[useLanguage()];
