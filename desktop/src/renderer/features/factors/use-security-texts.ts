// Texts of account security, loaded with their screens.
import { type SecurityTexts, securityWords } from '@recordproof/shared/words/app-security.ts';
import { useLanguage } from '../../context.ts';

export const useSecurityTexts = (): SecurityTexts => securityWords[useLanguage()];
