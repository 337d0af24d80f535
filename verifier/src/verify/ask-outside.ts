// Owns when and for what anybody outside is asked: first the key, then the status, then the root on the chain, each only
// when nothing found so far speaks against the proof. Whoever fails to answer is unavailable; nothing here throws.
import { localLedger } from '@recordproof/shared/evidence/chain-identity.ts';
import type { Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import type { Answers, Asked, CaseFile, VerificationRequest } from './case-file.ts';
import { valueIn } from './case-file.ts';
import { localJwsProblem } from './checks/signature-jws.ts';
import { findLedgerRecord, type LedgerRecord } from './ledger-entry.ts';
import type { LiveEvidence, Lookup } from './live-evidence.ts';
import type { TrustedKey } from './trusted-key.ts';

const offline = { kind: 'offline' } as const;
const heldBack = { kind: 'held-back', waitsFor: 'local checks' } as const;

export const nobodyAsked: Answers = { key: offline, status: offline, root: offline, record: offline };

const answered = <T>(question: () => Promise<Lookup<T>>): Promise<Lookup<T>> =>
  Promise.try(question).catch(() => ({ kind: 'unavailable', reason: 'UNAVAILABLE' }));

/** The caller's own key makes the question needless; `requireTrustedKey` makes the answer worthless. */
export async function askKey(
  { live, requireTrustedKey = false }: VerificationRequest,
  file: CaseFile,
  isSound: boolean,
): Promise<Asked<TrustedKey>> {
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
): Promise<Pick<Answers, 'status' | 'root' | 'record'>> {
  if (live === undefined) return { status: offline, root: offline, record: offline };
  const [manifest, receipt] = [valueIn(file.manifest), valueIn(file.receipt)];
  if (manifest === undefined || receipt === undefined || !isSound)
    return { status: heldBack, root: heldBack, record: heldBack };
  const { chainType, chainId, groupId, contractAddress } = receipt.contract;
  const address = { chainType, chainId, groupId, contractAddress, batchNo: receipt.batchNo };
  return {
    status: await answered(() => live.findStatus(manifest.proofId)),
    root: await answered(() => live.findChainRoot(address)),
    record: await askLedger(live, receipt, file),
  };
}

async function askLedger(
  { readLedger }: LiveEvidence,
  receipt: Receipt,
  { platform }: CaseFile,
): Promise<Asked<LedgerRecord>> {
  if (readLedger === undefined || receipt.contract.chainType !== localLedger) return offline;
  return await answered(() => findLedgerRecord(readLedger, receipt, platform));
}
