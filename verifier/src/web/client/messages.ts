// Messages between the page and its worker.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { ExistenceText } from '../../existence/describe-existence.ts';
import type { ExistenceReport } from '../../existence/existence-report.ts';
import type { StatementTexts } from '../../report/statements.ts';
import type { VerificationReport } from '../../verify/report.ts';

/** `evidence`: vouchers and trust material, in any order. */
export type Chosen = { original: File; proof: File; trustedKey?: File; evidence?: readonly File[] };

/**
 * `live` answers external queries; `origin` fetches them from the page's server, including the ledger. Without either
 * it is offline.
 */
export type ForWorker = Chosen & { live?: MessagePort; origin?: MessagePort; language: Language };

/** `told`: in the language of the page. */
export type AnsweredExistence = { report: ExistenceReport; told: ExistenceText };

export type FromWorker =
  | { kind: 'progress'; read: number; size: number }
  | { kind: 'report'; report: VerificationReport; existence?: AnsweredExistence }
  | { kind: 'unable'; why: Unable };

export type FromStatementWorker =
  | Exclude<FromWorker, { kind: 'report' }>
  | { kind: 'statements'; statements: StatementTexts };

/** `insecure`: browsers verify signatures only in pages from https, localhost or a file. */
export type Unable = 'insecure' | 'no-ed25519' | 'broken';
