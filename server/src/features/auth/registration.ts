// Registration: its rules by configuration, and the account of a mailed code.
import type { register as contract, RegistrationMode } from '@recordproof/shared/api/auth.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Origin } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, createAccount, getDefaultTenant } from '../accounts/index.ts';
import { withMailCode } from './mail-codes.ts';

type Registration = { readonly mode: RegistrationMode; readonly domains: readonly string[] };

const reasons: Readonly<Record<Exclude<RegistrationMode, 'open'>, string>> = {
  invite: 'this server takes registrations by invitation only; ask an administrator for one',
  domains: 'this server takes registrations from certain e-mail domains only; ask an administrator for an invitation',
  closed: 'registration is closed on this server; ask an administrator for an account',
};

/** Returns null if the address may register. Subdomains of a listed domain are different domains. */
function findReason({ mode, domains }: Registration, email: string): string | null {
  if (mode === 'open') return null;
  const isListed = mode === 'domains' && domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
  return isListed ? null : reasons[mode];
}

const closed = (mode: RegistrationMode, reason: string): ApiError =>
  new ApiError('REGISTRATION_CLOSED', reason, { detail: { mode } });

export function checkRegistration(registration: Registration, email: string): void {
  const reason = findReason(registration, email);
  if (reason !== null) throw closed(registration.mode, reason);
}

/** Local passwords can sign in and be reset by mail, unless sign-in is restricted to a provider. */
export function checkLocalSignIn({ localSignIn }: { readonly localSignIn: boolean }): void {
  if (!localSignIn) throw new ApiError('LOCAL_SIGN_IN_DISABLED');
}

/** Invited people may register in every mode except closed. */
export function checkInvited({ mode }: Registration): void {
  if (mode === 'closed') throw closed(mode, reasons.closed);
}

export async function register(
  server: Pick<Server, 'database' | 'clock' | 'keys' | 'passwords' | 'config'>,
  origin: Origin,
  body: BodyOf<typeof contract>,
): Promise<AccountRow> {
  const { email, code, username, nickname } = body;
  checkRegistration(server.config.accounts.registration, email);
  const passwordHash = await server.passwords.hash(body.password, origin.ip);
  const tenantId = await getDefaultTenant(server.database.db);
  const account = { tenantId, username, email, nickname, role: 'user', passwordHash } as const;
  return withMailCode(server, { email, type: 'register', code }, tx =>
    createAccount(tx, origin, account, server.clock.now()),
  );
}
