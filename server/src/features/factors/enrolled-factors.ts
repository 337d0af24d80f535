// The second factors of an account: which it has, whether one is required, and verification.
import { type SecondFactor, type SecondFactorProof, secondFactors } from '@recordproof/shared/api/factor-proofs.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Db, Time, Tx } from '../../platform/db/tables.ts';
import type { AccountRow } from '../accounts/index.ts';
import { findStep } from './codes.ts';
import {
  acceptStep,
  type EnrolledFactors,
  findRequirement,
  findTotp,
  listEnrolledFactors,
  type Owner,
  type Requirement,
  useRecoveryCode,
} from './queries.ts';
import { digestRecoveryCode, openSecret } from './seal.ts';
import { type PasskeyServer, verifyPasskey } from './verify-passkey.ts';

const dayMs = 24 * 3600_000;

/** When the grace period of the account ends; null if nothing is required. */
export function toDeadline(
  { role, registered_at }: Pick<AccountRow, 'role' | 'registered_at'>,
  { since, graceDays }: Requirement,
): Time | null {
  const required = since[role];
  return required === undefined ? null : Math.max(required, registered_at) + graceDays * dayMs;
}

export const hasSecondFactor = ({ totpSince, passkeys }: EnrolledFactors): boolean =>
  totpSince !== null || passkeys > 0;

const none: EnrolledFactors = { totpSince: null, passkeys: 0, recoveryCodesLeft: 0 };

export const findEnrolledFactors = async (db: Db, { id, tenant_id }: Owner): Promise<EnrolledFactors> =>
  (await listEnrolledFactors(db, tenant_id, [id])).get(id) ?? none;

/** The factors to ask for; empty if the account has none. */
export async function listSecondFactors(db: Db, owner: Owner): Promise<SecondFactor[]> {
  const enrolled = await findEnrolledFactors(db, owner);
  if (!hasSecondFactor(enrolled)) return [];
  return secondFactors.filter(factor => isEnrolled(enrolled, factor));
}

function isEnrolled({ totpSince, passkeys, recoveryCodesLeft }: EnrolledFactors, factor: SecondFactor): boolean {
  switch (factor) {
    case 'totp':
      return totpSince !== null;
    case 'passkey':
      return passkeys > 0;
    case 'recovery-code':
      return recoveryCodesLeft > 0;
  }
}

/** Whether sign-in needs a second factor: one is required, and the grace period is over. */
export async function needsSecondFactor(db: Db, account: AccountRow, now: Time): Promise<boolean> {
  const deadline = toDeadline(account, await findRequirement(db, account.tenant_id));
  return deadline !== null && deadline <= now;
}

/** Whether the account must enrol a second factor before use. */
export async function mustEnrol(db: Db, account: AccountRow, now: Time): Promise<boolean> {
  return (await needsSecondFactor(db, account, now)) && !hasSecondFactor(await findEnrolledFactors(db, account));
}

/** Consumes the proof with the transaction. */
export async function useSecondFactor(
  tx: Tx,
  server: PasskeyServer,
  account: AccountRow,
  { call, proof, now }: { readonly call: Call<Party>; readonly proof: SecondFactorProof; readonly now: Time },
): Promise<boolean> {
  const { pepper } = server.keys;
  switch (proof.kind) {
    case 'recovery-code':
      return useRecoveryCode(tx, account, digestRecoveryCode(pepper, account.id, proof.code));
    case 'passkey': {
      const used = await verifyPasskey(tx, server, call, { credential: proof.credential, now });
      return used !== null && used.account.tenant_id === account.tenant_id && used.account.id === account.id;
    }
    case 'totp': {
      const sealed = (await findTotp(tx, account))?.sealed_secret;
      if (sealed === null || sealed === undefined) return false;
      const step = findStep(openSecret(pepper, account.id, sealed), proof.code, now);
      return step !== null && acceptStep(tx, account, step);
    }
  }
}
