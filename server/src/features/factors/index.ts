// Second factors of accounts: one-time codes, passkeys, recovery codes, and the roles that require them.
import { feature } from '../../platform/feature.ts';
import { factorMigrations } from './migrations.ts';
import { sendFactorNoticeJob } from './notify-owner.ts';
import { eraseFactors } from './reset-factors.ts';
import { factorRoutes } from './routes.ts';

export { finishTotp, startTotp } from './enrol-totp.ts';
export { listSecondFactors, mustEnrol, needsSecondFactor, useSecondFactor } from './enrolled-factors.ts';
export { notifyOwner } from './notify-owner.ts';
export { sweepUsedChallenges } from './passkey-queries.ts';
export { lockFactors } from './queries.ts';
export { newPasskeyOptions, type Registration, storePasskey, verifyRegistration } from './register-passkey.ts';
export { findRelyingParty } from './relying-party.ts';
export { resetFactors } from './reset-factors.ts';
export { verifyPasskey } from './verify-passkey.ts';

export const factors = feature({
  name: 'factors',
  layer: 0,
  migrations: factorMigrations,
  open: server => ({
    routes: factorRoutes(server),
    hooks: { accountDeleted: eraseFactors },
    jobs: [sendFactorNoticeJob(server)],
  }),
});
