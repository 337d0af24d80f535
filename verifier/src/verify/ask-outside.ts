// External queries of a verification: first the key, then the status, then the root on the chain, each only while
// nothing speaks against the proof. A failed query counts as unavailable; nothing here throws.
import { localLedger } from '@recordproof/shared/evidence/chain-identity.ts';
import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Answers, type CaseFile, type QueryResult, type VerificationRequest, valueIn } from './case-file.ts';
import { localJwsProblem } from './checks/signature.ts';
import { findLedgerRecord, readProofLife } from './ledger-records.ts';
import type { IssuerStatus, LiveEvidence, Lookup } from './live-evidence.ts';
import { openSignedLog, readingLog } from './signed-log.ts';
import type { TrustedKey } from './trusted-key.ts';

const offline = { kind: 'offline' } as const;
const heldBack = { kind: 'held-back', waitsFor: 'local checks' } as const;

export const noOutsideAnswers: Answers = {
  key: offline,
  status: offline,
  root: offline,
  record: offline,
  life: offline,
};

const answered = <T>(question: () => Promise<Lookup<T>>): Promise<Lookup<T>> =>
  Promise.try(question).catch(() => ({ kind: 'unavailable', reason: 'UNAVAILABLE' }));

/** Skipped if the caller has a key, or requires one with `requireTrustedKey`. */
export async function askKey(
  { live, requireTrustedKey = false }: VerificationRequest,
  file: CaseFile,
  isSound: boolean,
): Promise<QueryResult<TrustedKey>> {
  if (live === undefined || requireTrustedKey || file.trustedKey !== undefined) return offline;
  if (localJwsProblem(file) !== undefined) return { kind: 'held-back', waitsFor: 'signature.jws' };
  const manifest = valueIn(file.manifest);
  if (manifest === undefined || !isSound) return heldBack;
  const { keyId, keyVersion } = manifest.signature;
  return await answered(() => live.findIssuerKey(keyId, keyVersion));
}

export async function askOutside(
  live: LiveEvidence | undefined,
  file: CaseFile,
  isSound: boolean,
): Promise<Pick<Answers, 'status' | 'root' | 'record' | 'life'>> {
  if (live === undefined) return { status: offline, root: offline, record: offline, life: offline };
  const [manifest, receipt] = [valueIn(file.manifest), valueIn(file.receipt)];
  if (manifest === undefined || receipt === undefined || !isSound)
    return { status: heldBack, root: heldBack, record: heldBack, life: heldBack };
  const { chainType, chainId, groupId, contractAddress } = receipt.contract;
  const address = { chainType, chainId, groupId, contractAddress, batchNo: receipt.batchNo };
  const status = await answered(() => live.findStatus(manifest.proofId));
  const root = await answered(() => live.findChainRoot(address));
  return { status, root, ...(await askLedger(live, receipt, file, status)) };
}

/** The entries of the batch and of the proof, under one checkpoint. */
async function askLedger(
  { readLedger }: LiveEvidence,
  receipt: Receipt,
  { platform }: CaseFile,
  status: Lookup<IssuerStatus>,
): Promise<Pick<Answers, 'record' | 'life'>> {
  if (readLedger === undefined || receipt.contract.chainType !== localLedger) return { record: offline, life: offline };
  const log = await readingLog(() => openSignedLog(readLedger, receipt, platform));
  if (log.kind !== 'found') return { record: log, life: log };
  const named = status.kind === 'found' && status.value.status === 'ACTIVE' ? status.value.about : undefined;
  const positions = named?.ledgerEntries;
  return {
    record: await readingLog(() => findLedgerRecord(log.value, receipt)),
    life:
      positions === undefined || positions === null
        ? { kind: 'held-back', waitsFor: 'status.current' }
        : await readingLog(() => readProofLife(log.value, positions)),
  };
}
