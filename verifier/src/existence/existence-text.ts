// The existence report as plain text: the answer first, then each voucher with its time and source, then the steps from
// the file to them.
import type { Language } from '@recordproof/shared/words/words.ts';
import { describeExistence } from './describe-existence.ts';
import type { ExistenceReport } from './existence-report.ts';
import { existenceToText } from './plain-text.ts';

export const toExistenceText = (report: ExistenceReport, language: Language = 'en'): string =>
  existenceToText(describeExistence(report, language));
