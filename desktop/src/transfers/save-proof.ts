// A proof on the disk: the archive and its vouchers as separate files, or everything in one file. If a voucher with
// other bytes exists under one of these names, nothing is written.
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import {
  type Evidence,
  toVoucherName,
  voucherNames,
  writeEvidenceArchive,
} from '@recordproof/shared/evidence/evidence-archive.ts';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { fetchEvidence } from '@recordproof/shared/transfer/fetch-evidence.ts';
import type { Server } from '@recordproof/shared/transfer/ports.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Outcome } from '../bridge/bridge.ts';
import type { ProofRequest } from '../bridge/download-request.ts';

type Run = { readonly server: Server; readonly signal: AbortSignal };

export async function saveProof({ server, signal }: Run, target: string, request: ProofRequest): Promise<Outcome> {
  const evidence = await fetchEvidence(server.client, request.fileId, signal);
  if (request.form === 'evidence') await writeWhole(target, writeEvidenceArchive(evidence));
  else await writeBeside(target, evidence);
  return { kind: 'done', fileHash: null, verified: false, rejected: [] };
}

/** The save dialog has confirmed that the archive may be replaced, but not the other files. */
async function writeBeside(target: string, evidence: Evidence): Promise<void> {
  const vouchers = voucherNames.map(name => ({
    path: join(dirname(target), toVoucherName(basename(target), name)),
    bytes: evidence[name],
  }));
  const missing: { path: string; bytes: Uint8Array }[] = [];
  for (const { path, bytes } of vouchers) {
    const found = await readFile(path).catch(() => undefined);
    if (found === undefined && bytes !== undefined) missing.push({ path, bytes });
    if (found !== undefined && (bytes === undefined || !isSameBytes(found, bytes)))
      throw new TransferError('target-exists', `${basename(path)} exists with other content: move it away`);
  }
  await writeWhole(target, evidence.archive);
  for (const { path, bytes } of missing) await writeWhole(path, bytes);
}

const writeWhole = (target: string, bytes: Uint8Array): Promise<void> => writeDurably(target, bytes, { mode: 0o666 });
