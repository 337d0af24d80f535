// Proofs: archives, revocation, and public queries on a proof and its signing key.
import { z } from 'zod';
import { bulkAnswerText, mostBulkAnswers } from './bulk-answers.ts';
import { byId, isoTime, plainText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash } from './files.ts';

const proofStates = ['ACTIVE', 'SUPERSEDED', 'REVOKED', 'INVALID'] as const;
export type ProofState = (typeof proofStates)[number];

export const proofId = z
  .string()
  .regex(/^rp-proof-[0-9a-f]{64}$/, 'must be rp-proof- and 64 lowercase hex digits')
  .meta({ examples: [`rp-proof-${'0'.repeat(64)}`] });

/** Used in URL paths and files: letters, digits, dot, underscore, hyphen. */
const keyId = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/, 'must be a key id')
  .meta({ examples: ['rp-0123456789abcdef'] });

/** In a path, in canonical form. */
const keyVersion = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'must be a version number')
  .transform(Number)
  .meta({ examples: ['1'] });

/** The members of a trusted key file (docs/spec), in their order. */
export const issuerKey = z.object({
  algorithm: z.literal('EdDSA'),
  keyId,
  keyVersion: z.int().min(1),
  publicKeyFingerprint: contentHash,
  publicKeySpki: z.string(),
});
export type IssuerKey = z.infer<typeof issuerKey>;

/** Servers of earlier releases omit the period. */
const datedIssuerKey = issuerKey.extend({
  usedFrom: isoTime.optional().meta({ description: 'when the key began to sign' }),
  usedUntil: isoTime.nullable().optional().meta({ description: 'when it signed its last; null while it is in use' }),
});
export type DatedIssuerKey = z.infer<typeof datedIssuerKey>;

const entryPosition = z.int().min(0).nullable();

/** Positions of the matching ledger entries, from 0. */
const proofLedgerEntries = z.object({
  issued: entryPosition.meta({ description: 'that it was issued; null for a proof of an earlier release' }),
  status: entryPosition.meta({ description: 'its newest status; null while that is the one that it was issued with' }),
  keyInUse: entryPosition.meta({ description: 'from when on its key signed' }),
  keyRetired: entryPosition.meta({ description: 'until when its key signed; null while it is in use' }),
});
export type ProofLedgerEntries = z.infer<typeof proofLedgerEntries>;

const proofStatusView = z.object({
  proofId,
  status: z.enum(proofStates),
  statusVersion: z.int().min(1),
  issuedStatus: z.literal('ACTIVE'),
  keyId,
  keyVersion: z.int().min(1),
  reason: z.string().nullable(),
  issuedAt: isoTime,
  updatedAt: isoTime,
  manifestSha256: contentHash
    .nullable()
    .optional()
    .meta({ description: 'SHA-256 of the issued manifest.json; null when what was issued cannot be read any more' }),
  contentHash: contentHash.nullable().optional().meta({ description: 'SHA-256 of the file that the proof is about' }),
  ledgerEntries: proofLedgerEntries
    .optional()
    .meta({ description: 'the entries of the ledger that say the same; servers of earlier releases do not send it' }),
});
export type ProofStatusView = z.infer<typeof proofStatusView>;

export const exportProof = endpoint('exportProof', {
  feature: 'proofs',
  route: 'GET /api/v1/files/{id}/proof-bundle.zip',
  summary: 'The signed proof archive of a file version',
  description:
    'RP-SIGNED-PROOF-ZIP-V2; two exports of one proof are the same bytes. 409 with Retry-After while the batch of the file is not anchored yet; 409 without it when there will be no proof or the stored evidence no longer matches what was signed (`data.detail.reason`). For the owner and for administrators.',
  access: 'file:read',
  folderScope: { files: ['params.id'] },
  rate: 'download',
  params: byId,
  answerForm: 'bytes',
  errors: ['FILE_NOT_EXIST', 'CONFLICT', 'FILE_RECORD_ERROR', 'UNPROCESSABLE', 'SERVICE_UNAVAILABLE'],
});

export const exportProofs = endpoint('exportProofs', {
  isAllowedInMaintenance: true,
  feature: 'proofs',
  route: 'POST /api/v1/files/proof-bundles',
  summary: 'The signed proof archives of many file versions',
  description: `Each as with proof-bundle.zip. ${bulkAnswerText}`,
  access: 'file:read',
  folderScope: { files: ['body.ids'] },
  rate: 'download',
  body: z.object({ ids: z.array(recordId).min(1).max(mostBulkAnswers) }),
  answerForm: 'bytes',
});

export const getProofStatus = endpoint('getProofStatus', {
  feature: 'proofs',
  route: 'GET /api/v1/files/{id}/proof-status',
  summary: 'Where the proof of a file version stands',
  description: 'For the owner and for administrators. 409 while there is no proof yet.',
  access: 'file:read',
  folderScope: { files: ['params.id'] },
  rate: 'other',
  params: byId,
  answer: proofStatusView,
  errors: ['FILE_NOT_EXIST', 'CONFLICT'],
});

export const revokeProof = endpoint('revokeProof', {
  feature: 'proofs',
  route: 'POST /api/v1/files/{id}/proof-status/revoke',
  summary: 'Revoke the proof of a file version, for good',
  description: 'For the owner and for administrators. Asked again it answers the same and changes nothing.',
  access: 'file:write',
  folderScope: { files: ['params.id'] },
  rate: 'other',
  params: byId,
  body: z.object({ reason: plainText(256) }),
  answer: proofStatusView,
  errors: ['FILE_NOT_EXIST', 'CONFLICT'],
});

export const listIssuerKeys = endpoint('listIssuerKeys', {
  feature: 'proofs',
  route: 'GET /api/v1/proof-keys',
  summary: 'The public keys of this issuer, the newest first',
  description: 'To be kept by verifiers, who verify proofs with them later. The first one signs now.',
  access: 'file:read',
  folderScope: {},
  rate: 'other',
  answer: z.array(issuerKey),
});

export const getIssuerKey = endpoint('getIssuerKey', {
  feature: 'proofs',
  route: 'GET /api/v1/public/proof-keys/{keyId}/versions/{keyVersion}',
  summary: 'The public key that signed a proof, also after it was retired',
  access: 'anonymous',
  rate: 'public-proof',
  params: z.object({ keyId, keyVersion }),
  description: 'With the period in which it signed: a proof with a date outside of it is not of this issuer.',
  answer: datedIssuerKey,
  errors: ['NOT_FOUND'],
});

export const getPublicProofStatus = endpoint('getPublicProofStatus', {
  feature: 'proofs',
  route: 'GET /api/v1/public/proofs/{proofId}/status',
  summary: 'The current status of a proof',
  description: 'Never cached. Has no data about the file, its owner or its tenant.',
  access: 'anonymous',
  rate: 'public-proof',
  params: z.object({ proofId }),
  answer: proofStatusView,
  errors: ['NOT_FOUND'],
});
