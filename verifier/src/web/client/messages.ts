// What the page and its worker say to each other.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { ExistenceReport } from '../../existence/existence-report.ts';
import type { ToldExistence } from '../../existence/tell-existence.ts';
import type { VerificationReport } from '../../verify/report.ts';

/** `evidence`: vouchers, and whom the person trusts, in any order. */
export type Chosen = { original: File; proof: File; trustedKey?: File; evidence?: readonly File[] };

/** `live`: answers what the engine would ask outside; without it nobody is asked. */
export type ForWorker = Chosen & { live?: MessagePort; language: Language };

/** `told`: in the language of the page. */
export type AnsweredExistence = { report: ExistenceReport; told: ToldExistence };

export type FromWorker =
  | { kind: 'progress'; read: number; size: number }
  | { kind: 'report'; report: VerificationReport; existence?: AnsweredExistence }
  | { kind: 'unable'; why: Unable };

/** `insecure`: browsers check signatures only for pages from https, this computer or a disk. */
export type Unable = 'insecure' | 'no-ed25519' | 'broken';
