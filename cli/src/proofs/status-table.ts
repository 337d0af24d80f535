// How the state of a proof looks.
import type { ProofStatusView } from '@recordproof/shared/api/proofs.ts';
import { alignRows } from '../platform/table.ts';

export const statusTable = (proof: ProofStatusView): string =>
  alignRows([
    ['proof', proof.proofId],
    ['status', proof.status],
    ['status version', String(proof.statusVersion)],
    ['reason', proof.reason ?? 'none'],
    ['key', `${proof.keyId} version ${proof.keyVersion}`],
    ['issued', proof.issuedAt],
    ['updated', proof.updatedAt],
  ]);
