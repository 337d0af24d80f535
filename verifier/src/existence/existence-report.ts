// The report existence-report.v1 (docs/spec/vouchers.md section 12): what these bytes are shown to have been, since when,
// and on whose word. A report lists every link and every voucher, also those that say nothing.
import { type ExistenceCode, type Standing, standingOf } from './existence-codes.ts';

export const existenceSchema = 'existence-report.v1';

export type ExistenceOutcome = 'EXISTED' | 'CONTRADICTED' | 'NOT_SHOWN' | 'ERROR';

/** The steps from the file to the checkpoint, and the trust material of the caller. */
type LinkId = 'FILE' | 'ARCHIVE' | 'ENTRY' | 'PATH' | 'LOG' | 'ROOTS' | 'HEADERS';

export type Link = { id: LinkId; code: ExistenceCode; standing: Standing; message: string };

/** WITNESS is one of them and decides nothing alone; QUORUM is what the policy asks of them. */
export type VoucherKind = 'WITNESS' | 'QUORUM' | 'RFC3161' | 'BITCOIN' | 'CALENDAR' | 'OTHER';

export type Voucher = {
  kind: VoucherKind;
  /** Of the witness, the authority, the block or the calendar. */
  name: string;
  code: ExistenceCode;
  standing: Standing;
  /** RFC 3339. The bytes existed no later than this, when the voucher can be trusted. */
  time?: string;
  /** What has to be trusted for it. */
  trust: string;
  message: string;
};

/** A voucher that is there and was not checked, because the caller did not give what its kind needs. Its name is a claim. */
export type UncheckedVoucher = { kind: VoucherKind; name: string; needs: 'policy' | 'roots' | 'headers' };

export type RequirementResult = { requirement: string; isMet: boolean; time?: string };

export type ExistenceReport = {
  schemaVersion: typeof existenceSchema;
  outcome: ExistenceOutcome;
  /** The first code that decided; absent when the bytes existed. */
  reason?: ExistenceCode | 'REQUIREMENT_NOT_MET' | 'NO_TRUSTED_VOUCHER';
  /** RFC 3339; only with EXISTED. */
  existedNoLaterThan?: string;
  verifierVersion: string;
  contentHash?: string;
  sizeBytes?: number;
  proofId?: string;
  checkpoint?: { origin: string; size: number; root: string };
  /** The time is on the operator's word alone. */
  entry?: { kind: string; position: number; recordedAt: string };
  links: Link[];
  vouchers: Voucher[];
  required: RequirementResult[];
  /** Absent when there is none. */
  unchecked?: UncheckedVoucher[];
};

export const link = (id: LinkId, code: ExistenceCode, message: string): Link => ({
  ...{ id, code, message },
  standing: standingOf(code),
});

type VoucherFacts = Omit<Voucher, 'standing' | 'time'> & { readonly timeMs?: number | undefined };

export function voucher({ timeMs, ...facts }: VoucherFacts): Voucher {
  const time = timeMs === undefined ? undefined : toTime(timeMs);
  return { ...facts, standing: standingOf(facts.code), ...(time === undefined ? {} : { time }) };
}

export const toTime = (timeMs: number): string => new Date(timeMs).toISOString();
