// The existence report as plain text: the answer first, then each voucher with its time and whose word it is, then the steps
// from the file to them.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { ExistenceReport } from './existence-report.ts';
import { tellExistence } from './tell-existence.ts';
import { toToldText } from './told-text.ts';

export const toExistenceText = (report: ExistenceReport, language: Language = 'en'): string =>
  toToldText(tellExistence(report, language));
