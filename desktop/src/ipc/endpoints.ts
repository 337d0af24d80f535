// Endpoints that the window may call through the program. Excluded are streams, and answers with a token: the program keeps
// the tokens, and signs in and changes passwords itself (`session.…` in table.ts).
import * as accounts from '@recordproof/shared/api/accounts.ts';
import * as adminFiles from '@recordproof/shared/api/admin-files.ts';
import * as adminShares from '@recordproof/shared/api/admin-shares.ts';
import * as announcements from '@recordproof/shared/api/announcements.ts';
import {
  listApiTokens,
  listTokensOfUser,
  revokeApiToken,
  revokeTokenOfUser,
} from '@recordproof/shared/api/api-tokens.ts';
import * as attestation from '@recordproof/shared/api/attestation.ts';
import * as auditFigures from '@recordproof/shared/api/audit-figures.ts';
import * as auditReview from '@recordproof/shared/api/audit-review.ts';
import { getRegistration, register, requestMailCode, resetPassword } from '@recordproof/shared/api/auth.ts';
import * as chain from '@recordproof/shared/api/chain.ts';
import * as chunkedUploads from '@recordproof/shared/api/chunked-uploads.ts';
import * as cryptoPolicy from '@recordproof/shared/api/crypto-policy.ts';
import * as directUploads from '@recordproof/shared/api/direct-uploads.ts';
import * as dropLinks from '@recordproof/shared/api/drop-links.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import * as events from '@recordproof/shared/api/events.ts';
import * as factors from '@recordproof/shared/api/factors.ts';
import * as files from '@recordproof/shared/api/files.ts';
import * as folders from '@recordproof/shared/api/folders.ts';
import * as friendShares from '@recordproof/shared/api/friend-shares.ts';
import * as friends from '@recordproof/shared/api/friends.ts';
import * as images from '@recordproof/shared/api/images.ts';
import * as integrity from '@recordproof/shared/api/integrity.ts';
import * as invitations from '@recordproof/shared/api/invitations.ts';
import * as jobs from '@recordproof/shared/api/jobs.ts';
import * as keyRotation from '@recordproof/shared/api/key-rotation.ts';
import * as maintenance from '@recordproof/shared/api/maintenance.ts';
import * as messages from '@recordproof/shared/api/messages.ts';
import * as monitor from '@recordproof/shared/api/monitor.ts';
import * as oneTimeCodes from '@recordproof/shared/api/one-time-codes.ts';
import * as passkeys from '@recordproof/shared/api/passkeys.ts';
import { putThumbnails, readThumbnails } from '@recordproof/shared/api/previews.ts';
import * as proofs from '@recordproof/shared/api/proofs.ts';
import { runKinds } from '@recordproof/shared/api/run-kinds.ts';
import * as sessions from '@recordproof/shared/api/sessions.ts';
import * as shareAccess from '@recordproof/shared/api/share-access.ts';
import * as shareLogs from '@recordproof/shared/api/share-logs.ts';
import * as shares from '@recordproof/shared/api/shares.ts';
import { listConnections, listSignInProviders, removeConnection } from '@recordproof/shared/api/single-sign-on.ts';
import * as system from '@recordproof/shared/api/system.ts';
import * as tenants from '@recordproof/shared/api/tenants.ts';
import * as tickets from '@recordproof/shared/api/tickets.ts';
import * as trash from '@recordproof/shared/api/trash.ts';
import * as uploadSessions from '@recordproof/shared/api/upload-sessions.ts';
import * as uploads from '@recordproof/shared/api/uploads.ts';
import * as userFactors from '@recordproof/shared/api/user-factors.ts';
import * as userQuotas from '@recordproof/shared/api/user-quotas.ts';
import { createTrustRule, deleteTrustRule, listTrustRules } from '@recordproof/shared/api/workload-identity.ts';

const { changePassword: _, ...accountCalls } = accounts;
const { giveSecondFactor: _second, ...factorCalls } = factors;
const { completeEnrolment: _enrolment, ...codeCalls } = oneTimeCodes;
const { completePasskeyEnrolment: _passkeyEnrolment, signInWithPasskey: _signIn, ...passkeyCalls } = passkeys;
/** For a person without an account. None of them returns a token. */
const beforeSignIn = { getRegistration, register, requestMailCode, resetPassword };

const thumbnailCalls = { putThumbnails, readThumbnails };
const tokenCalls = { listApiTokens, listTokensOfUser, revokeApiToken, revokeTokenOfUser };
const providerCalls = { listConnections, listSignInProviders, removeConnection };
const trustCalls = { createTrustRule, deleteTrustRule, listTrustRules };

const runCalls = Object.values(runKinds).map(({ runs }) => runs);

const contract: readonly Readonly<Record<string, unknown>>[] = [
  accountCalls,
  adminFiles,
  adminShares,
  announcements,
  attestation,
  auditFigures,
  auditReview,
  beforeSignIn,
  chain,
  chunkedUploads,
  codeCalls,
  cryptoPolicy,
  directUploads,
  dropLinks,
  events,
  factorCalls,
  files,
  folders,
  friendShares,
  friends,
  images,
  integrity,
  invitations,
  jobs,
  keyRotation,
  maintenance,
  messages,
  monitor,
  passkeyCalls,
  proofs,
  providerCalls,
  ...runCalls,
  sessions,
  shareAccess,
  shareLogs,
  shares,
  system,
  tenants,
  thumbnailCalls,
  tickets,
  tokenCalls,
  trash,
  trustCalls,
  uploadSessions,
  uploads,
  userFactors,
  userQuotas,
];

const isEndpoint = (value: unknown): value is AnyEndpoint =>
  typeof value === 'object' && value !== null && 'path' in value && 'answerForm' in value && 'name' in value;

const isCalled = ({ answerForm, bodyForms }: AnyEndpoint): boolean =>
  ['envelope', 'plain-json'].includes(answerForm) &&
  (bodyForms.length === 0 || bodyForms.includes('json') || bodyForms.includes('form'));

const byName: ReadonlyMap<string, AnyEndpoint> = new Map(
  contract
    .flatMap(file => Object.values(file).filter(isEndpoint))
    .filter(isCalled)
    .map(one => [one.name, one]),
);

export const findEndpoint = (name: string): AnyEndpoint | undefined => byName.get(name);
