// The interface for external queries, and the parsers of their answers. The engine itself makes no connection: online
// callers pass an implementation. Answers are untrusted until parsed here.
import type { JsonValue } from '@recordproof/shared/evidence/canonical-json.ts';
import { type ProofStatus, proofIdText, proofStatus } from '@recordproof/shared/evidence/proof-entries.ts';
import { timestamp } from '@recordproof/shared/evidence/rfc3339.ts';
import { parseStrictJson } from '@recordproof/shared/evidence/strict-json.ts';
import {
  digestText,
  integer,
  nullable,
  objectOf,
  oneOf,
  type Reader,
  text,
  urlName,
} from '@recordproof/shared/evidence/strict-shape.ts';
import type { LookupFailure } from './check-codes.ts';
import { keyMembers, keyPeriodMembers, type TrustedKey, toTrustedKey } from './trusted-key.ts';

export const chainRootSchema = 'service-chain-root-resolution.v1';
const maxAnswerBytes = 256 * 1024;

/** `unknown`: the other side answered that there is none. `unavailable`: no usable answer. */
export type Lookup<T> =
  | { kind: 'found'; value: T }
  | { kind: 'unknown' }
  | { kind: 'unavailable'; reason: LookupFailure };

export type IssuerStatus =
  | { status: ProofStatus; about: StatusSubject }
  /** The rest of the answer is malformed; withdrawn still counts. */
  | { status: WithdrawnStatus; about?: undefined };

type WithdrawnStatus = Exclude<ProofStatus, 'ACTIVE'>;

type StatusAnswer = ReturnType<typeof statusAnswer>['data'];

/** The subject stated in the answer. Servers of earlier releases omit `manifestSha256` and `contentHash`. */
type StatusSubject = Omit<StatusAnswer, 'status' | 'ledgerEntries'> & {
  ledgerEntries?: LedgerEntryPositions | null | undefined;
};

/** Positions of the matching ledger entries; null if there is none. */
export type LedgerEntryPositions = ReturnType<typeof ledgerEntries>;

export type ChainRoot = Omit<ReturnType<typeof rootAnswer>, 'schemaVersion'>;
export type ChainAddress = Pick<ChainRoot, 'chainType' | 'chainId' | 'groupId' | 'contractAddress' | 'batchNo'>;

/**
 * Called only after every local check has passed, at most once each per verification, in this order. A rejected promise
 * counts as unavailable. An implementation must limit time and size, and must not follow anything found in an archive;
 * keys may be cached for minutes, roots for seconds, a status never.
 */
export type LiveEvidence = {
  /** Not called if the caller gave a trusted key. */
  findIssuerKey(keyId: string, keyVersion: number): Promise<Lookup<TrustedKey>>;
  findStatus(proofId: string): Promise<Lookup<IssuerStatus>>;
  findChainRoot(address: ChainAddress): Promise<Lookup<ChainRoot>>;
  /**
   * The bytes at a path of the ledger: `checkpoint`, `key` or `tile/…`. Absent if the caller named no ledger. Called
   * after the other three, several times, and only for a proof whose batch is on such a ledger.
   */
  readLedger?: ((path: string) => Promise<Lookup<Uint8Array>>) | undefined;
};

const statusVersion: Reader<number> = (value, path) =>
  integer(1)(typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : value, path);

const upperOrLower = (pattern: RegExp, hint: string): Reader<string> => {
  const read = text(pattern, hint);
  return (value, path) => read(value, path).toLowerCase();
};

const shortText = text(/^[\s\S]{0,1000}$/, 'at most 1000 characters');

// Answers may gain fields over time, so unknown ones are ignored; duplicates are rejected.
const envelopeOf = <T>(data: Reader<T>) =>
  objectOf({ code: integer(200, 200), data }, { message: nullable(shortText) }, 'ignore');

const keyAnswer = envelopeOf(objectOf(keyMembers, keyPeriodMembers, 'ignore'));

const position = nullable(integer(0));
const ledgerEntries = objectOf(
  { issued: position, status: position, keyInUse: position, keyRetired: position },
  {},
  'ignore',
);

const statusAnswer = envelopeOf(
  objectOf(
    {
      proofId: proofIdText,
      status: proofStatus,
      statusVersion,
      issuedStatus: proofStatus,
      keyId: urlName,
      keyVersion: integer(1),
      issuedAt: timestamp,
      updatedAt: timestamp,
    },
    {
      reason: nullable(shortText),
      manifestSha256: nullable(digestText),
      contentHash: nullable(digestText),
      ledgerEntries: nullable(ledgerEntries),
    },
    'ignore',
  ),
);

const withdrawnAnswer = objectOf(
  { data: objectOf({ status: oneOf('REVOKED', 'SUPERSEDED', 'INVALID') }, {}, 'ignore') },
  {},
  'ignore',
);

const rootAnswer = objectOf(
  {
    schemaVersion: oneOf(chainRootSchema),
    chainType: urlName,
    chainId: urlName,
    groupId: urlName,
    contractAddress: upperOrLower(/^0x[0-9a-fA-F]{40}$/, '0x and 40 hex digits'),
    batchNo: urlName,
    merkleRoot: upperOrLower(/^[0-9a-fA-F]{64}$/, '64 hex digits'),
    blockNumber: integer(0),
  },
  { transactionHash: nullable(upperOrLower(/^0x[0-9a-fA-F]{64}$/, '0x and 64 hex digits')) },
  'ignore',
);

const parse = (bytes: Uint8Array) => parseStrictJson(bytes, { maxBytes: maxAnswerBytes });

/** Each throws StrictJsonError or ShapeError on an unusable answer. */
export const parseKeyAnswer = (bytes: Uint8Array): TrustedKey => toTrustedKey(keyAnswer(parse(bytes), '').data);

/** A withdrawn status counts, even if the rest of the answer is too long, malformed or missing. */
export function parseStatusAnswer(bytes: Uint8Array): IssuerStatus {
  const answer = parse(bytes);
  try {
    const { status, ...about } = statusAnswer(answer, '').data;
    return { status, about };
  } catch (problem) {
    const status = findWithdrawn(answer);
    if (status === undefined) throw problem;
    return { status };
  }
}

function findWithdrawn(answer: JsonValue): WithdrawnStatus | undefined {
  try {
    return withdrawnAnswer(answer, '').data.status;
  } catch {
    return undefined;
  }
}

export function parseRootAnswer(bytes: Uint8Array): ChainRoot {
  const { schemaVersion: _, ...root } = rootAnswer(parse(bytes), '');
  return root;
}
