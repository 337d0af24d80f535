// Checks on vouchers from external clocks: an authority's time stamp of the checkpoint, and OpenTimestamps from the
// file itself to Bitcoin blocks.
import {
  type BitcoinHeaders,
  blockSeconds,
  merkleRootOf,
  parseBitcoinHeaders,
} from '@recordproof/shared/evidence/bitcoin-headers.ts';
import { isSameBytes, sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { listOtsClaims, type OtsClaim, type OtsFile, parseOts } from '@recordproof/shared/evidence/ots.ts';
import { checkStamp, StampError } from '@recordproof/shared/evidence/rfc3161.ts';
import { type Certificate, parseRoots } from '@recordproof/shared/evidence/x509.ts';
import type { ExistenceInput, ExistencePlatform } from './existence-input.ts';
import { type ExistenceCode, type Link, link, type Voucher, voucher } from './existence-report.ts';
import type { Linked } from './judge-links.ts';

type Judged = { links: Link[]; vouchers: Voucher[] };

export async function judgeStamp(
  input: ExistenceInput,
  { proof }: Linked,
  platform: ExistencePlatform,
): Promise<Judged> {
  const roots = readTrust('ROOTS', 'ROOTS_DAMAGED', input.roots, parseRoots);
  const links = 'link' in roots ? [roots.link] : [];
  if (input.stamp === undefined) return { links, vouchers: [] };
  const trust = 'the authority, by a root in your file of roots';
  const judged = (code: ExistenceCode, message: string, name = 'time-stamping authority', timeMs?: number): Judged => ({
    links,
    vouchers: [voucher({ kind: 'RFC3161', name, code, trust, message, timeMs })],
  });
  if (input.stamp === 'UNREADABLE') return judged('STAMP_UNREADABLE', 'The time stamp could not be read.');
  if (proof === undefined) return judged('NOT_LINKED', 'There is no checkpoint that the time stamp could be of.');
  const digest = sha256(toUtf8(proof.note.text));
  const named: readonly Certificate[] = 'value' in roots ? (roots.value ?? []) : [];
  try {
    const expected = { digest, roots: named, verify: platform.verifySignature };
    const { authority, latestMs } = await checkStamp(input.stamp, expected);
    const message = `The authority ${authority} stamped this checkpoint.`;
    return judged('OK', message, authority, latestMs);
  } catch (problem) {
    if (!(problem instanceof StampError)) throw problem;
    if (problem.code === 'STAMP_UNTRUSTED' && input.roots === undefined)
      return judged('ROOTS_ABSENT', 'No roots were given, so no authority is trusted.');
    return judged(problem.code, `The time stamp does not count: ${problem.message}.`);
  }
}

/** Unreadable trust material of the caller is a separate error. */
function readTrust<T>(
  id: 'ROOTS' | 'HEADERS',
  code: 'ROOTS_DAMAGED' | 'HEADERS_DAMAGED',
  bytes: Uint8Array | 'UNREADABLE' | undefined,
  parse: (bytes: Uint8Array) => T,
): { value?: T } | { link: Link } {
  if (bytes === undefined) return {};
  const what = id === 'ROOTS' ? 'The file of roots' : 'The file of block headers';
  if (bytes === 'UNREADABLE') return { link: link(id, code, `${what} could not be read.`) };
  try {
    return { value: parse(bytes) };
  } catch (problem) {
    return { link: link(id, code, `${what} cannot be used: ${(problem as Error).message}.`) };
  }
}

const maxClaims = 64;

export function judgeOts(input: ExistenceInput, { content }: Linked): Judged {
  const headers = readTrust('HEADERS', 'HEADERS_DAMAGED', input.headers, parseBitcoinHeaders);
  const links = 'link' in headers ? [headers.link] : [];
  if (input.ots === undefined) return { links, vouchers: [] };
  const judged = (code: ExistenceCode, message: string): Judged => {
    const facts = { kind: 'BITCOIN', name: 'OpenTimestamps', trust: 'the chain of Bitcoin' } as const;
    return { links, vouchers: [voucher({ ...facts, code, message })] };
  };
  const stamp = readOts(input.ots);
  if (typeof stamp === 'string') return judged('OTS_DAMAGED', `The OpenTimestamps file cannot be read: ${stamp}.`);
  if (content === undefined) return judged('NOT_LINKED', 'The file could not be read.');
  if (stamp.hash !== 'sha256' || !isSameBytes(stamp.root.message, content.hash))
    return judged('OTS_OF_OTHER_FILE', 'The OpenTimestamps file is of another file.');
  const claims = listOtsClaims(stamp.root);
  if (claims.length > maxClaims)
    return judged('OTS_DAMAGED', `The OpenTimestamps file has more than ${maxClaims} claims.`);
  const blockHeaders = 'value' in headers ? headers.value : undefined;
  return { links, vouchers: claims.map(claim => judgeClaim(claim, blockHeaders)) };
}

function readOts(bytes: Uint8Array | 'UNREADABLE'): OtsFile | string {
  if (bytes === 'UNREADABLE') return 'it is not readable';
  try {
    return parseOts(bytes);
  } catch (problem) {
    return (problem as Error).message;
  }
}

/** The network accepts blocks with a time up to two hours in the future. */
const blockSlackSeconds = 2 * 60 * 60;

function judgeClaim({ message, attestation }: OtsClaim, headers: BitcoinHeaders | undefined): Voucher {
  if (attestation.kind === 'PENDING') {
    const facts = { kind: 'CALENDAR', name: attestation.uri, trust: 'the calendar' } as const;
    const text = `The calendar ${attestation.uri} promised to put it into a block; that is no proof yet.`;
    return voucher({ ...facts, code: 'ATTESTATION_PENDING', message: text });
  }
  if (attestation.kind === 'OTHER') {
    const facts = { kind: 'OTHER', name: 'attestation of another kind', trust: 'unknown' } as const;
    return voucher({ ...facts, code: 'ATTESTATION_UNKNOWN', message: 'An attestation of a kind that is not checked.' });
  }
  const name = `block ${attestation.height}`;
  const facts = { kind: 'BITCOIN', name, trust: 'the chain of Bitcoin, by the block headers that you gave' } as const;
  if (headers === undefined)
    return voucher({
      ...facts,
      code: 'HEADERS_ABSENT',
      message: `No block headers were given for ${name} of Bitcoin.`,
    });
  const header = headers(attestation.height);
  if (header === undefined)
    return voucher({
      ...facts,
      code: 'HEADER_ABSENT',
      message: `Your block headers do not have that of ${name} of Bitcoin.`,
    });
  if (!isSameBytes(merkleRootOf(header), message))
    return voucher({
      ...facts,
      code: 'BLOCK_MISMATCH',
      message: `The header of ${name} that you gave does not hold this file.`,
    });
  const timeMs = (blockSeconds(header) + blockSlackSeconds) * 1000;
  return voucher({
    ...facts,
    code: 'OK',
    message: `Bitcoin ${name} holds a hash that follows from this file.`,
    timeMs,
  });
}
