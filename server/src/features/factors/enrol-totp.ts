// Setting up and removing one-time codes (TOTP), with recovery codes.
import type { KeyObject } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { NewTotp } from '@recordproof/shared/api/one-time-codes.ts';
import type { Call } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { describeTotp, findStep, newRecoveryCodes, newTotpSecret, toReadable } from './codes.ts';
import { findEnrolledFactors, hasSecondFactor, toDeadline } from './enrolled-factors.ts';
import { notifyOwner } from './notify-owner.ts';
import {
  activateTotp,
  deleteRecoveryCodes,
  deleteTotp,
  findRequirement,
  findTotp,
  lockFactors,
  type Owner,
  replaceRecoveryCodes,
  setPendingTotp,
} from './queries.ts';
import { digestRecoveryCode, openSecret, sealSecret } from './seal.ts';

const pendingMs = 30 * 60_000;

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys'>;

const toOwner = ({ actor }: Call): Owner => ({ id: actor.userId, tenant_id: actor.tenantId });

/** A secret that takes effect once one of its codes is confirmed. */
export async function startTotp(
  tx: Tx,
  pepper: KeyObject,
  account: Pick<AccountRow, 'id' | 'tenant_id' | 'username'>,
  now: Time,
): Promise<NewTotp> {
  const secret = newTotpSecret();
  await setPendingTotp(tx, account, sealSecret(pepper, account.id, secret), now);
  return describeTotp(secret, account.username);
}

/** With the factors locked. Null for a wrong code. Recovery codes come with the first factor; later they are null. */
export async function finishTotp(
  tx: Tx,
  pepper: KeyObject,
  owner: Owner,
  { code, now }: { readonly code: string; readonly now: Time },
): Promise<{ recoveryCodes: string[] | null } | null> {
  const row = await findTotp(tx, owner);
  if (!row?.pending_secret || (row.pending_at ?? 0) + pendingMs < now) return null;
  const step = findStep(openSecret(pepper, owner.id, row.pending_secret), code, now);
  if (step === null || !(await activateTotp(tx, owner, { sealed: row.pending_secret, step, now }))) return null;
  return { recoveryCodes: await firstCodes(tx, pepper, owner) };
}

/** Recovery codes for the first factor; null if the account has some. */
export async function firstCodes(tx: Tx, pepper: KeyObject, owner: Owner): Promise<string[] | null> {
  const { recoveryCodesLeft } = await findEnrolledFactors(tx, owner);
  return recoveryCodesLeft > 0 ? null : newCodes(tx, pepper, owner);
}

async function newCodes(tx: Tx, pepper: KeyObject, owner: Owner): Promise<string[]> {
  const codes = newRecoveryCodes();
  const digests = codes.map(code => digestRecoveryCode(pepper, owner.id, code));
  await replaceRecoveryCodes(tx, owner, digests);
  return codes.map(toReadable);
}

export const beginTotp = ({ database, clock, keys }: Dependencies, call: Call): Promise<NewTotp> =>
  database.db.transaction().execute(async tx => {
    const now = clock.now();
    const account = { ...toOwner(call), username: call.actor.username };
    const begun = await startTotp(tx, keys.pepper, account, now);
    await recordAudit(tx, call, now, 'factors.begin-totp', 'setup of one-time codes started');
    return begun;
  });

export async function confirmTotp(
  { database, clock, keys }: Dependencies,
  call: Call,
  code: string,
): Promise<{ recoveryCodes: string[] | null }> {
  const confirmed = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    await lockFactors(tx, toOwner(call));
    const finished = await finishTotp(tx, keys.pepper, toOwner(call), { code, now });
    if (finished === null) return null;
    await recordAudit(tx, call, now, 'factors.confirm-totp', 'one-time codes set up');
    await notifyOwner(tx, { email: call.actor.email, language: call.language }, 'totp-added', now);
    return finished;
  });
  if (confirmed === null) throw new ApiError('SECOND_FACTOR_ERROR');
  return confirmed;
}

/**
 * After a factor was removed: rejects removing the last one if one is required, and deletes recovery codes with the
 * last one.
 */
export async function finishFactorRemoval(tx: Tx, account: AccountRow): Promise<void> {
  if (hasSecondFactor(await findEnrolledFactors(tx, account))) return;
  if (toDeadline(account, await findRequirement(tx, account.tenant_id)) !== null)
    throw new ApiError('CONFLICT', 'a second factor is required of this account; set up another one first');
  await deleteRecoveryCodes(tx, account);
}

/** With its factors locked. */
export async function lockOwnAccount(tx: Tx, call: Call): Promise<AccountRow> {
  await lockFactors(tx, toOwner(call));
  const account = await findAccount(tx, call.actor.tenantId, call.actor.userId);
  if (account === null) throw new ApiError('PERMISSION_TOKEN_INVALID');
  return account;
}

export async function removeTotp({ database, clock }: Dependencies, call: Call): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const account = await lockOwnAccount(tx, call);
    if (!(await deleteTotp(tx, account))) throw new ApiError('NOT_FOUND', 'this account has no one-time codes');
    await finishFactorRemoval(tx, account);
    await recordAudit(tx, call, now, 'factors.remove-totp', 'one-time codes removed');
    await notifyOwner(tx, { email: account.email, language: call.language }, 'totp-removed', now);
  });
}

export const renewRecoveryCodes = (
  { database, clock, keys }: Dependencies,
  call: Call,
): Promise<{ recoveryCodes: string[] }> =>
  database.db.transaction().execute(async tx => {
    const now = clock.now();
    const owner = toOwner(call);
    await lockFactors(tx, owner);
    if (!hasSecondFactor(await findEnrolledFactors(tx, owner)))
      throw new ApiError('CONFLICT', 'set up a second factor first: recovery codes replace it in an emergency');
    const recoveryCodes = await newCodes(tx, keys.pepper, owner);
    await recordAudit(tx, call, now, 'factors.renew-recovery-codes', 'new recovery codes made');
    await notifyOwner(tx, { email: call.actor.email, language: call.language }, 'recovery-codes-renewed', now);
    return { recoveryCodes };
  });
