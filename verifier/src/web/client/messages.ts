// What the page and its worker say to each other.
import type { VerificationReport } from '../../verify/report.ts';

export type Chosen = { original: File; proof: File; trustedKey?: File };

/** `live`: answers what the engine would ask outside; without it nobody is asked. */
export type ForWorker = Chosen & { live?: MessagePort };

export type FromWorker =
  | { kind: 'progress'; read: number; size: number }
  | { kind: 'report'; report: VerificationReport }
  | { kind: 'unable'; why: Unable };

/** `insecure`: browsers check signatures only for pages from https, this computer or a disk. */
export type Unable = 'insecure' | 'no-ed25519' | 'broken';
