// Reasons that block the retirement of an old key: the values of the contract, and their texts.
export const blockers = [
  'NO_APPLY_RUN',
  'POLICY_CHANGED',
  'RUN_NOT_COMPLETED',
  'OLD_KEY_IN_USE',
  'GRACE_PERIOD',
] as const;

export const blockerTexts: Readonly<Record<(typeof blockers)[number], string>> = {
  NO_APPLY_RUN: 'no apply run yet',
  POLICY_CHANGED: 'the policy was changed after the last run',
  RUN_NOT_COMPLETED: 'the last run is not COMPLETED',
  OLD_KEY_IN_USE:
    'file keys or unfinished uploads wrapped by another key remain: rotate again, or wait until the uploads have ended',
  GRACE_PERIOD: 'the grace period is not over',
};
