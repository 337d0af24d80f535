// Second-factor requirements and their deadlines. Pure.

import type { Time } from '../../platform/db/tables.ts';
import type { AccountRow } from '../accounts/index.ts';
import type { EnrolledFactors, Requirement } from './queries.ts';

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
