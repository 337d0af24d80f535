// The bytes of one entry of the embedded ledger (docs/spec/ledger.md section 2). Entries are permanently public: they
// contain hashes and our own numbers, no names, tenants or content. Only the canonical form is accepted.
import { canonicalBytes } from './canonical-json.ts';
import { digestOf, isSameBytes, toHex, toUtf8 } from './digest.ts';
import { hashLeaf } from './merkle.ts';
import { instant, proofStatus } from './proof-entries.ts';
import { parseStrictJson } from './strict-json.ts';
import { digestText, hexHash, integer, objectOf, oneOf, type Reader, ShapeError, urlName } from './strict-shape.ts';

export const ledgerEntrySchema = 'recordproof.ledger-entry.v1';
const maxLedgerEntryBytes = 4096;

const common = { schema: oneOf(ledgerEntrySchema), recordedAt: instant };

const fileRecordShape = objectOf({
  ...common,
  kind: oneOf('FILE_RECORD'),
  recordId: hexHash,
  manifestHash: digestText,
});

const batchRootShape = objectOf({
  ...common,
  kind: oneOf('BATCH_ROOT'),
  batchNo: urlName,
  merkleRoot: hexHash,
  treeSize: integer(1),
});

/**
 * The reference to a proof in entries: the digest of its id. With the ids themselves, the status and content hash of
 * every proof in the ledger could be queried from the server.
 */
export const digestProofId = (proofId: string): string => digestOf(toUtf8(proofId));

/** An issued proof: the log contains the hash of its manifest, and thereby covers what the manifest names. */
const proofIssuedShape = objectOf({
  ...common,
  kind: oneOf('PROOF_ISSUED'),
  proofIdSha256: digestText,
  manifestSha256: digestText,
});

/** A later status of a proof, after its issue. */
const proofStatusShape = objectOf({
  ...common,
  kind: oneOf('PROOF_STATUS'),
  proofIdSha256: digestText,
  status: proofStatus,
  statusVersion: integer(2),
});

/** A key becomes the signing key, or is retired. */
const signingKeyShape = objectOf({
  ...common,
  kind: oneOf('SIGNING_KEY'),
  keyId: urlName,
  keyVersion: integer(1),
  publicKeyFingerprint: digestText,
  state: oneOf('IN_USE', 'RETIRED'),
});

/** The newest link of the audit log of one tenant. */
const auditHeadShape = objectOf({
  ...common,
  kind: oneOf('AUDIT_HEAD'),
  tenantDigest: hexHash,
  sequence: integer(1),
  headHash: hexHash,
});

/** A receipt of a drop link: the digest of its signed statement (docs/spec/drop-receipt.md). */
const receiptIssuedShape = objectOf({
  ...common,
  kind: oneOf('RECEIPT_ISSUED'),
  receiptSha256: digestText,
});

export type LedgerEntry =
  | ReturnType<typeof fileRecordShape>
  | ReturnType<typeof batchRootShape>
  | ReturnType<typeof proofIssuedShape>
  | ReturnType<typeof proofStatusShape>
  | ReturnType<typeof signingKeyShape>
  | ReturnType<typeof auditHeadShape>
  | ReturnType<typeof receiptIssuedShape>;

export type EntryOf<Kind extends LedgerEntry['kind']> = Extract<LedgerEntry, { kind: Kind }>;

const shapes: { readonly [Kind in LedgerEntry['kind']]: Reader<EntryOf<Kind>> } = {
  FILE_RECORD: fileRecordShape,
  BATCH_ROOT: batchRootShape,
  PROOF_ISSUED: proofIssuedShape,
  PROOF_STATUS: proofStatusShape,
  SIGNING_KEY: signingKeyShape,
  AUDIT_HEAD: auditHeadShape,
  RECEIPT_ISSUED: receiptIssuedShape,
};
export const ledgerEntryKinds = Object.keys(shapes) as LedgerEntry['kind'][];
const kindOf = oneOf(...ledgerEntryKinds);

export function ledgerEntryBytes(entry: LedgerEntry): Uint8Array {
  const bytes = canonicalBytes(entry);
  parseLedgerEntry(bytes);
  return bytes;
}

export function parseLedgerEntry(bytes: Uint8Array): LedgerEntry {
  const value = parseStrictJson(bytes, { maxBytes: maxLedgerEntryBytes, maxDepth: 2 });
  if (!isSameBytes(canonicalBytes(value), bytes)) throw new ShapeError('', 'must be canonical JSON');
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
  return shapes[kindOf(kind, 'kind')](value, '');
}

/** Returns undefined for anything else, including an entry of a kind of a later release. */
export function findLedgerEntry(bytes: Uint8Array): LedgerEntry | undefined {
  try {
    return parseLedgerEntry(bytes);
  } catch {
    return undefined;
  }
}

type WithoutTime<E> = E extends LedgerEntry ? Omit<E, 'schema' | 'recordedAt'> : never;

/** An entry without its time. */
export type NewLedgerEntry = WithoutTime<LedgerEntry>;

/** The subject of the entry; there is at most one entry per kind and subject. */
export function subjectOf(entry: NewLedgerEntry): string {
  switch (entry.kind) {
    case 'FILE_RECORD':
      return entry.recordId;
    case 'BATCH_ROOT':
      return entry.batchNo;
    case 'PROOF_ISSUED':
      return entry.manifestSha256.slice('sha256:'.length);
    case 'PROOF_STATUS':
      return `${entry.proofIdSha256.slice('sha256:'.length)}/${entry.statusVersion}`;
    case 'SIGNING_KEY':
      return `${entry.keyId}/${entry.keyVersion}/${entry.state}`;
    case 'AUDIT_HEAD':
      return `${entry.tenantDigest}/${entry.sequence}`;
    case 'RECEIPT_ISSUED':
      return entry.receiptSha256.slice('sha256:'.length);
  }
}

/** The entry's leaf hash in the log, in the form of a transaction hash. */
export const entryTransactionHash = (bytes: Uint8Array): string => `0x${toHex(hashLeaf(bytes))}`;

const datedShape = objectOf({ recordedAt: instant }, {}, 'ignore');

/** The recording time stated by an entry of any kind, in milliseconds since 1970; undefined if there is none. */
export function recordedAtOf(bytes: Uint8Array): number | undefined {
  try {
    const value = parseStrictJson(bytes, { maxBytes: maxLedgerEntryBytes, maxDepth: 2 });
    return Date.parse(datedShape(value, '').recordedAt);
  } catch {
    return undefined;
  }
}

/** The allowed clock difference between servers of one ledger; times that differ by less are no contradiction. */
export const clockSkewMs = 5000;

const mostSteps = 100;

/** Checks the times of entries in log order, and lists those before an earlier one. */
export class TimeOrder {
  /** The first hundred. */
  readonly steps: string[] = [];
  #latest: number;

  /** `latest`: from entries checked before. */
  constructor(latest = Number.NEGATIVE_INFINITY) {
    this.#latest = latest;
  }

  /** The latest time so far, in milliseconds since 1970. */
  get latest(): number {
    return this.#latest;
  }

  /** Returns false if the time is before an earlier one. An entry without a time is skipped. */
  add(position: number, time: number | undefined): boolean {
    if (time === undefined) return true;
    const isInOrder = time >= this.#latest - clockSkewMs;
    if (!isInOrder && this.steps.length < mostSteps)
      this.steps.push(`entry ${position} states ${toText(time)}, after an entry that states ${toText(this.#latest)}`);
    this.#latest = Math.max(this.#latest, time);
    return isInOrder;
  }
}

const toText = (time: number): string => new Date(time).toISOString();
