// Receipts of drop links (docs/spec/drop-receipt.md): a statement signed by the issuer, and the file kept by the
// sender. A receipt is untrusted until its signature has been verified.
import { canonicalBytes } from './canonical-json.ts';
import { digestOf, isSameBytes, parseUtf8, toUtf8 } from './digest.ts';
import type { SignEd25519 } from './ed25519.ts';
import { hasHeaderOf, type ParsedJws, parseJws, signJws, toJwsHeader } from './jws.ts';
import type { ProofKey } from './proof-builder.ts';
import { instant } from './proof-entries.ts';
import { parseStrictJson } from './strict-json.ts';
import {
  decimalId,
  digestText,
  hexHash,
  integer,
  objectOf,
  oneOf,
  type Reader,
  ShapeError,
  text,
  transactionHash,
  urlName,
} from './strict-shape.ts';

const dropStatementSchema = 'recordproof.drop-statement.v1';
const dropReceiptSchema = 'recordproof.drop-receipt.v1';
export const dropReceiptSuffix = '.receipt.json';

const maxReceiptBytes = 256 * 1024;

const line = text(/^[^\p{Cc}\p{Cs}]{1,1024}$/u, 'one line of text');

const statementShape = objectOf({
  schema: oneOf(dropStatementSchema),
  receivedAt: instant,
  link: objectOf({ id: decimalId, title: line }),
  file: objectOf(
    {
      name: line,
      size: integer(1),
      contentHash: digestText,
      recordId: hexHash,
      manifestHash: digestText,
      transactionHash,
    },
    { path: line },
  ),
  senderFieldsSha256: digestText,
  signature: objectOf({ keyId: urlName, keyVersion: integer(1), publicKeyFingerprint: digestText }),
});
export type DropStatement = ReturnType<typeof statementShape>;

/** The sender's details, by field label. */
export type SenderFields = Readonly<Record<string, string>>;

const fieldsShape: Reader<SenderFields> = (value, path) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ShapeError(path, 'must be an object');
  if (Object.values(value).some(field => typeof field !== 'string')) throw new ShapeError(path, 'must hold text only');
  return value as SenderFields;
};

const receiptShape = objectOf(
  {
    schema: oneOf(dropReceiptSchema),
    statement: text(/^[\w.-]{1,65536}\n$/, 'a compact JWS and one line feed'),
    senderFields: fieldsShape,
  },
  { ledgerProof: text(/^[\s\S]{1,131072}$/, 'a tlog-proof') },
);
type DropReceipt = ReturnType<typeof receiptShape>;

export const digestFields = (fields: SenderFields): string => digestOf(canonicalBytes(fields));

/** Deterministic: equal statement and key give equal bytes. */
export async function signDropStatement(
  statement: Omit<DropStatement, 'schema' | 'signature'>,
  { sign, ...key }: ProofKey & { readonly sign: SignEd25519 },
): Promise<string> {
  const whole = { schema: dropStatementSchema, ...statement, signature: key };
  statementShape(whole, '');
  return parseUtf8(await signJws(toJwsHeader(key.keyId, key.keyVersion), canonicalBytes(whole), sign));
}

/** The digest in the ledger entry. */
export const digestStatement = (jws: string): string => digestOf(parseJws(toUtf8(jws)).payload);

export const writeDropReceipt = (receipt: Omit<DropReceipt, 'schema'>): Uint8Array =>
  toUtf8(`${JSON.stringify({ schema: dropReceiptSchema, ...receipt }, null, 2)}\n`);

export type ReadDropReceipt = {
  readonly receipt: DropReceipt;
  readonly jws: ParsedJws;
  readonly statement: DropStatement;
};

/** Structure only: the signature is not checked. Throws on malformed input. */
export function readDropReceipt(bytes: Uint8Array): ReadDropReceipt {
  const receipt = receiptShape(parseStrictJson(bytes, { maxBytes: maxReceiptBytes, maxDepth: 4 }), '');
  const jws = parseJws(toUtf8(receipt.statement));
  const value = parseStrictJson(jws.payload, { maxBytes: 65_536, maxDepth: 4 });
  if (!isSameBytes(canonicalBytes(value), jws.payload)) throw new ShapeError('', 'must be canonical JSON');
  const statement = statementShape(value, '');
  const { keyId, keyVersion } = statement.signature;
  if (!hasHeaderOf(jws, keyId, keyVersion))
    throw new ShapeError('statement', 'must have the header of a proof, with the key that it names');
  return { receipt, jws, statement };
}
