// Vouchers for checkpoints of the ledger, and witnessing of peers' ledgers (docs/spec/vouchers.md). Without envelope,
// in the C2SP formats.
import { z } from 'zod';
import { bulkAnswerText, mostBulkAnswers } from './bulk-answers.ts';
import { byId, numberFromText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { proofId } from './proofs.ts';

/** For a proof whose earlier vouchers are no longer trusted: a later checkpoint covers it too. */
const fromCheckpoint = z.object({
  fromSize: numberFromText(z.int().min(0).default(0)).meta({
    description: 'no checkpoint of fewer entries is taken, for example because its authority has expired',
  }),
});

export const getTlogProof = endpoint('getTlogProof', {
  feature: 'vouchers',
  route: 'GET /api/v1/public/proofs/{proofId}/tlog-proof',
  summary: 'The entry of the ledger behind a proof, its path, and a checkpoint with its cosignatures',
  description:
    'C2SP tlog-proof@v1; `extra` is the entry. The checkpoint is the earliest one that covers the entry and has the quorum of cosignatures, or the newest one of a server without witnesses. 409 with Retry-After until there is one. When the quorum is missing after a minute, the checkpoint with the most cosignatures is taken. 404 for an unknown proof, and for one whose batch is not on the ledger.',
  access: 'anonymous',
  rate: 'public-proof',
  params: z.object({ proofId }),
  query: fromCheckpoint,
  answer: z.string(),
  answerForm: 'text',
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});

export const getTimeStamp = endpoint('getTimeStamp', {
  feature: 'vouchers',
  route: 'GET /api/v1/public/proofs/{proofId}/tsr',
  summary: 'The RFC 3161 time stamp of the checkpoint that tlog-proof shows',
  description:
    'DER. Only about a hash, as `tlog-proof`. 404 with `NOT_STAMPED` while no authority has stamped this checkpoint. To get files that go together use evidence.zip.',
  access: 'anonymous',
  rate: 'public-proof',
  params: z.object({ proofId }),
  query: fromCheckpoint,
  answerForm: 'bytes',
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});

const evidenceErrors = [
  'FILE_NOT_EXIST',
  'CONFLICT',
  'FILE_RECORD_ERROR',
  'UNPROCESSABLE',
  'SERVICE_UNAVAILABLE',
] as const;

export const getFileOts = endpoint('getFileOts', {
  feature: 'vouchers',
  route: 'GET /api/v1/files/{id}/proof.ots',
  summary: 'The OpenTimestamps file of a file version',
  description:
    'From the SHA-256 of the file to what the calendars answered. It holds the manifest of the proof, so it is for the owner and for administrators, as the proof archive. 404 with `NOT_IN_CALENDAR` while there is none.',
  access: 'file:read',
  folderScope: { files: ['params.id'] },
  rate: 'download',
  params: byId,
  query: fromCheckpoint,
  answerForm: 'bytes',
  errors: ['NOT_FOUND', ...evidenceErrors],
});

export const exportEvidence = endpoint('exportEvidence', {
  feature: 'vouchers',
  route: 'GET /api/v1/files/{id}/evidence.zip',
  summary: 'The proof archive of a file version, packed with what others say about its time',
  description:
    'docs/spec/vouchers.md, section 11: `proof-archive.zip`, and of `proof.tlog-proof`, `proof.tsr` and `proof.ots` those that there are, all about one checkpoint. With `vouched=true` 409 with Retry-After and `NOT_VOUCHED` until the quorum of witnesses has cosigned it and an authority has stamped it, as far as the server asks them. For the owner and for administrators.',
  access: 'file:read',
  folderScope: { files: ['params.id'] },
  rate: 'download',
  params: byId,
  query: fromCheckpoint.extend({ vouched: z.enum(['true', 'false']).default('false') }),
  answerForm: 'bytes',
  errors: evidenceErrors,
});

export const exportManyEvidence = endpoint('exportManyEvidence', {
  isAllowedInMaintenance: true,
  feature: 'vouchers',
  route: 'POST /api/v1/files/evidence-bundles',
  summary: 'The evidence archives of many file versions',
  description: `Each as with evidence.zip. ${bulkAnswerText}`,
  access: 'file:read',
  folderScope: { files: ['body.ids'] },
  rate: 'download',
  body: z.object({
    ids: z.array(recordId).min(1).max(mostBulkAnswers),
    isVouched: z.boolean().default(false),
    fromSize: z.int().min(0).default(0),
  }),
  answerForm: 'bytes',
});

export const addWitnessCheckpoint = endpoint('addWitnessCheckpoint', {
  feature: 'vouchers',
  route: 'POST /ledger/witness/add-checkpoint',
  summary: 'Ask this server to cosign a checkpoint of a peer',
  description:
    'C2SP tlog-witness: the answers and their order are those of docs/spec/vouchers.md, section 6. Only for the ledgers that `ledger.witness-peers` names.',
  access: 'anonymous',
  rate: 'ledger',
  bodyForms: ['bytes'],
  answer: z.string(),
  answerForm: 'text',
});

export const getWitnessKey = endpoint('getWitnessKey', {
  feature: 'vouchers',
  route: 'GET /ledger/witness/key',
  summary: 'The verifier key that this server cosigns with, as a note signed by its ledger',
  description:
    'A signed note of two lines: `recordproof ledger witness key`, and the verifier key. 404 where no peers are set up.',
  access: 'anonymous',
  rate: 'ledger',
  answer: z.string(),
  answerForm: 'text',
  errors: ['NOT_FOUND'],
});

/** The maximum number of checkpoints. */
export const mostStampedCheckpoints = 16;

export const listLedgerStamps = endpoint('listLedgerStamps', {
  feature: 'vouchers',
  route: 'GET /ledger/stamps',
  summary: 'The newest checkpoints that time-stamping authorities have stamped, with their RFC 3161 time stamps',
  description: `The newest ${mostStampedCheckpoints}, the newest first. Each with its signed note as \`checkpoint\`, and with its time stamps as base64 of their DER. For auditors, who know no proof.`,
  access: 'anonymous',
  rate: 'ledger',
  answer: z.object({
    checkpoints: z.array(
      z.object({
        size: z.int().min(0),
        checkpoint: z.string(),
        stamps: z.array(z.object({ authority: z.string(), tsr: z.base64() })),
      }),
    ),
  }),
});
