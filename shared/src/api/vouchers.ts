// What others say about the checkpoints of the ledger, and what this server says about the ledgers of its peers
// (docs/spec/vouchers.md). No envelope: these are the formats of C2SP.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { proofId } from './proofs.ts';

export const getTlogProof = endpoint('getTlogProof', {
  feature: 'vouchers',
  method: 'GET',
  path: '/api/v1/public/proofs/{proofId}/tlog-proof',
  summary: 'The entry of the ledger behind a proof, its path, and a checkpoint with its cosignatures',
  description:
    'C2SP tlog-proof@v1; `extra` is the entry. The checkpoint is the earliest one that covers the entry and has the quorum of cosignatures, or the newest one of a server without witnesses. 409 with Retry-After until there is one. When the quorum is missing after a minute, the checkpoint with the most cosignatures is taken. 404 for an unknown proof, and for one whose batch is not on the ledger.',
  access: 'anonymous',
  rate: 'public-proof',
  params: z.object({ proofId }),
  answer: z.string(),
  answerForm: 'text',
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
});

export const addWitnessCheckpoint = endpoint('addWitnessCheckpoint', {
  feature: 'vouchers',
  method: 'POST',
  path: '/ledger/witness/add-checkpoint',
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
  method: 'GET',
  path: '/ledger/witness/key',
  summary: 'The verifier key that this server cosigns with, as a note signed by its ledger',
  description:
    'A signed note of two lines: `recordproof ledger witness key`, and the verifier key. 404 where no peers are set up.',
  access: 'anonymous',
  rate: 'ledger',
  answer: z.string(),
  answerForm: 'text',
  errors: ['NOT_FOUND'],
});

export const voucherEndpoints = [getTlogProof, addWitnessCheckpoint, getWitnessKey] as const;
