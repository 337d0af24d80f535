// Checks on the checkpoints of an audit: their signatures, statements of witnesses and authorities, and whether the
// newest one extends all kept ones.
import { type Checkpoint, openCheckpoint, parseCheckpointText } from '@recordproof/shared/evidence/checkpoint.ts';
import { type NoteVerifiers, verifyCosignature } from '@recordproof/shared/evidence/cosignature.ts';
import { parseUtf8, sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { applyPolicy } from '@recordproof/shared/evidence/policy-verdict.ts';
import { checkStamp, StampError } from '@recordproof/shared/evidence/rfc3161.ts';
import {
  type NoteKey,
  parseSignedNote,
  parseVerifierKey,
  toVerifierKey,
} from '@recordproof/shared/evidence/signed-note.ts';
import type { TlogPolicy } from '@recordproof/shared/evidence/tlog-policy.ts';
import type { Certificate } from '@recordproof/shared/evidence/x509.ts';
import { verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { nodePlatform } from '../node/node-platform.ts';
import type { AuditReport, Findings, KeyOrigin } from './audit-report.ts';
import type { CheckpointNote } from './checkpoint-notes.ts';
import type { VouchedTime } from './strictest-times.ts';

export type OpenedCheckpoint = { readonly checkpoint: Checkpoint; readonly note: string };

const noteVerifiers: NoteVerifiers = { ed25519: nodePlatform.verifyEd25519, mlDsa44: verifyMlDsa44 };

export type PinnedKey = { readonly key: NoteKey; readonly from: KeyOrigin };

type KeySources = {
  readonly configured: NoteKey | undefined;
  readonly policy: TlogPolicy | undefined;
  readonly kept: readonly CheckpointNote[];
  /** The key stated by the ledger itself; used only if there is no other. */
  readonly readNamed: () => Promise<string>;
};

/** The verification key for a ledger of this name. */
export async function findPinnedKey(
  origin: string,
  { configured, policy, kept, readNamed }: KeySources,
): Promise<PinnedKey> {
  if (configured !== undefined) return { key: configured, from: 'OPTION' };
  const log = policy?.logs.find(({ key }) => key.name === origin && key.type === 'ED25519');
  if (log !== undefined) return { key: { name: log.key.name, publicKey: log.key.publicKey }, from: 'POLICY' };
  const keptKey = kept.find(({ key }) => key !== undefined)?.key;
  if (keptKey !== undefined) return { key: parseVerifierKey(keptKey), from: 'KEPT' };
  return { key: parseVerifierKey(await readNamed()), from: 'SERVER' };
}

/** Returns undefined if it is not signed by the key; reports whether the signature is wrong or missing. */
export async function openPinned(note: Uint8Array, key: NoteKey, findings: Findings) {
  try {
    return { checkpoint: await openCheckpoint(note, key, nodePlatform.verifyEd25519), note: parseUtf8(note) };
  } catch {
    const isWrong = await hasWrongSignature(note, key);
    findings.add(isWrong ? 'LOG_SIGNATURE_WRONG' : 'LOG_UNSIGNED', { key: toVerifierKey(key) });
    return undefined;
  }
}

async function hasWrongSignature(note: Uint8Array, key: NoteKey): Promise<boolean> {
  try {
    const verdict = await verifyCosignature(parseSignedNote(note), { type: 'ED25519', ...key }, noteVerifiers);
    return verdict.state === 'WRONG';
  } catch {
    return false;
  }
}

/** The checkpoints signed by the key; unusable kept ones are reported, because they were meant to be compared. */
export async function openKept(kept: readonly CheckpointNote[], { key }: PinnedKey, findings: Findings) {
  const opened: OpenedCheckpoint[] = [];
  for (const { note } of kept) {
    try {
      const checkpoint = await openCheckpoint(note, key, nodePlatform.verifyEd25519);
      opened.push({ checkpoint, note: parseUtf8(note) });
    } catch {
      findings.add('KEPT_UNUSABLE', { why: 'it is not signed by the key of this ledger' });
    }
  }
  return opened.toSorted((a, b) => a.checkpoint.size - b.checkpoint.size);
}

export const originOf = (note: Uint8Array): string => parseCheckpointText(parseSignedNote(note).text).origin;

/** The verdict of the policy's witnesses on one checkpoint, and since when. */
export async function judgeQuorum(
  policy: TlogPolicy,
  { checkpoint, note }: OpenedCheckpoint,
  findings: Findings,
  isNewest: boolean,
): Promise<{ readonly quorum: NonNullable<AuditReport['quorum']>; readonly vouched: VouchedTime[] }> {
  const { witnesses, isContradicted, quorum } = await applyPolicy(policy, parseSignedNote(toUtf8(note)), noteVerifiers);
  if (isContradicted) findings.add('COSIGNATURE_WRONG', { size: checkpoint.size });
  const name = policy.quorum?.name ?? 'none';
  const isMissing = isNewest && !isContradicted && !quorum.isReached;
  if (isMissing) findings.add('QUORUM_NOT_REACHED', { name, size: checkpoint.size });
  const { timeSeconds } = quorum;
  const vouched = witnesses.flatMap(({ signer, verdict }) =>
    verdict.state === 'VALID' && verdict.timeSeconds !== undefined
      ? [{ size: checkpoint.size, timeMs: verdict.timeSeconds * 1000, by: signer.name, isNewest: true }]
      : [],
  );
  const time = timeSeconds === undefined ? undefined : new Date(timeSeconds * 1000).toISOString();
  return { quorum: { name, isReached: quorum.isReached, time }, vouched };
}

export async function hasQuorum(policy: TlogPolicy, note: Uint8Array): Promise<boolean> {
  try {
    const { quorum, isContradicted } = await applyPolicy(policy, parseSignedNote(note), noteVerifiers);
    return quorum.isReached || isContradicted;
  } catch {
    return true;
  }
}

/** Each stamp covers one of the checkpoints. */
export async function judgeStamp(
  stamp: Uint8Array,
  checkpoints: readonly OpenedCheckpoint[],
  roots: readonly Certificate[],
  findings: Findings,
): Promise<{ authority: string; size: number; timeMs: number } | undefined> {
  for (const { checkpoint, note } of checkpoints) {
    const digest = sha256(toUtf8(parseSignedNote(toUtf8(note)).text));
    try {
      const { authority, latestMs } = await checkStamp(stamp, { digest, roots, verify: verifySignature });
      return { authority, size: checkpoint.size, timeMs: latestMs };
    } catch (problem) {
      if (!(problem instanceof StampError)) throw problem;
      if (problem.code === 'STAMP_IMPRINT') continue;
      findings.add(problem.code === 'STAMP_SIGNATURE' ? 'STAMP_WRONG' : 'STAMP_UNUSABLE', { why: problem.message });
      return undefined;
    }
  }
  findings.add('STAMP_UNUSABLE', { why: 'it is of none of these checkpoints' });
  return undefined;
}
