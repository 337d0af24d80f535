// The content of a time-stamp token (TSTInfo, RFC 3161 section 2.4.2): imprint, time and accuracy. Untrusted until the
// enclosing signature is checked.
import {
  DerError,
  DerFields,
  type DerValue,
  derTags,
  readBoolean,
  readDer,
  readIntegerBytes,
  readNumber,
  readOid,
  readTime,
} from './der.ts';
import { toHex } from './digest.ts';
import { readPlainAlgorithm } from './signature-schemes.ts';

export type TimeStampInfo = {
  readonly policy: string;
  readonly imprint: { readonly hashOid: string; readonly digest: Uint8Array };
  /** In hex. */
  readonly serial: string;
  /** Milliseconds since 1970, fractions of a millisecond rounded up. */
  readonly timeMs: number;
  /** The maximum error of the stated time. */
  readonly accuracyMs: number;
  readonly nonce?: Uint8Array;
};

export function readTimeStampInfo(bytes: Uint8Array): TimeStampInfo {
  const fields = new DerFields(readDer(bytes, derTags.sequence));
  if (readNumber(fields.take(derTags.integer)) !== 1)
    throw new DerError('MALFORMED', 'the token is of another version');
  const policy = readOid(fields.take(derTags.oid));
  const imprint = readImprint(fields.take(derTags.sequence));
  const serial = toHex(readIntegerBytes(fields.take(derTags.integer)));
  const timeMs = readTime(fields.take(derTags.generalizedTime));
  const accuracy = fields.optional(derTags.sequence);
  const ordering = fields.optional(derTags.boolean);
  if (ordering !== undefined) readBoolean(ordering);
  const nonce = fields.optional(derTags.integer);
  fields.optional(0xa0);
  fields.optional(0xa1);
  fields.end();
  const accuracyMs = accuracy === undefined ? 0 : readAccuracy(accuracy);
  return {
    ...{ policy, imprint, serial, timeMs, accuracyMs },
    ...(nonce === undefined ? {} : { nonce: readIntegerBytes(nonce) }),
  };
}

function readImprint(value: DerValue) {
  const fields = new DerFields(value);
  const hashOid = readPlainAlgorithm(fields.take(derTags.sequence));
  const digest = fields.take(derTags.octetString).content;
  fields.end();
  return { hashOid, digest };
}

const dayMs = 86_400_000;

function readAccuracy(value: DerValue): number {
  const fields = new DerFields(value);
  const take = (tag: number): number => {
    const part = fields.optional(tag);
    return part === undefined ? 0 : readNumber(part);
  };
  const [seconds, millis, micros] = [take(derTags.integer), take(0x80), take(0x81)];
  fields.end();
  const total = seconds * 1000 + millis + Math.ceil(micros / 1000);
  if (millis > 999 || micros > 999 || total > dayMs) throw new DerError('MALFORMED', 'the accuracy is not accepted');
  return total;
}
