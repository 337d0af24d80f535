// Which file a command about proofs means: by its id or by its hash.
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { getFile } from '@recordproof/shared/api/files.ts';
import type { ProofStatusView } from '@recordproof/shared/api/proofs.ts';
import { parseField } from '../account.ts';
import { toTable } from '../output.ts';

const isFileHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

export const findFileId = async (client: Client, text: string): Promise<string> =>
  isFileHash(text) ? (await client.call(getFile, { params: { hash: text } })).id : parseField('File', recordId, text);

export const statusTable = (proof: ProofStatusView): string =>
  toTable([
    ['proof', proof.proofId],
    ['status', proof.status],
    ['status version', String(proof.statusVersion)],
    ['reason', proof.reason ?? 'none'],
    ['key', `${proof.keyId} version ${proof.keyVersion}`],
    ['issued', proof.issuedAt],
    ['updated', proof.updatedAt],
  ]);
