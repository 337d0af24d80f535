import { type SecuritySay, securityWords } from '@recordproof/shared/words/app-security.ts';
import { useLanguage } from '../../context.ts';

export const useSecuritySay = (): SecuritySay => securityWords[useLanguage()];
