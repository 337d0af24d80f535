// The words of what people do with each other, apart from the rest: they come with the screens that speak them.
import { type SocialSay, socialWords } from '@recordproof/shared/words/app-social.ts';
import { useLanguage } from './context.ts';

export const useSocialSay = (): SocialSay => socialWords[useLanguage()];
