// The report existence-report.v1 (docs/spec/vouchers.md section 12): what is proven about these bytes, since when, and
// by whose statement. It lists every link and voucher, including those that prove nothing.
import { type ExistenceCode, type Standing, standingOf } from './existence-codes.ts';

export const existenceSchema = 'existence-report.v1';

export type ExistenceOutcome = 'EXISTED' | 'CONTRADICTED' | 'NOT_SHOWN' | 'ERROR';

/** The steps from the file to the checkpoint, and the caller's trust material. */
type LinkId = 'FILE' | 'ARCHIVE' | 'ENTRY' | 'PATH' | 'LOG' | 'ROOTS' | 'HEADERS';

export type Link = { id: LinkId; code: ExistenceCode; standing: Standing; message: string };

/** WITNESS is a single one and decides nothing alone; QUORUM is the policy's requirement. */
export type VoucherKind = 'WITNESS' | 'QUORUM' | 'RFC3161' | 'BITCOIN' | 'CALENDAR' | 'OTHER';

export type Voucher = {
  kind: VoucherKind;
  /** The name of the witness, the authority, the block or the calendar. */
  name: string;
  code: ExistenceCode;
  standing: Standing;
  /** RFC 3339. The bytes existed no later than this, if the voucher is trustworthy. */
  time?: string;
  /** What has to be trusted. */
  trust: string;
  message: string;
};

/** A voucher that was not checked, because the caller did not supply what its kind needs. Its name is unverified. */
export type UncheckedVoucher = { kind: VoucherKind; name: string; needs: 'policy' | 'roots' | 'headers' };

export type RequirementResult = { requirement: string; isMet: boolean; time?: string };

export type ExistenceReport = {
  schemaVersion: typeof existenceSchema;
  outcome: ExistenceOutcome;
  /** The first decisive code; absent if existence is proven. */
  reason?: ExistenceCode | 'REQUIREMENT_NOT_MET' | 'NO_TRUSTED_VOUCHER';
  /** RFC 3339; only with EXISTED. */
  existedNoLaterThan?: string;
  verifierVersion: string;
  contentHash?: string;
  sizeBytes?: number;
  proofId?: string;
  checkpoint?: { origin: string; size: number; root: string };
  /** The time is stated by the operator alone. */
  entry?: { kind: string; position: number; recordedAt: string };
  links: Link[];
  vouchers: Voucher[];
  required: RequirementResult[];
  /** Absent if there are none. */
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
