// Texts of the social screens (shares, friends, messages, tickets), loaded with them.
import { type SocialSay, socialWords } from '@recordproof/shared/words/app-social.ts';
import { useLanguage } from './context.ts';

export const useSocialSay = (): SocialSay => socialWords[useLanguage()];
