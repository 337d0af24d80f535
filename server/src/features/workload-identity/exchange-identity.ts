// Token exchange: a job gets an API token of a service account for its identity token. The signature is verified before
// anything in the identity token is trusted; keys are fetched only from issuers named in a rule of the account.
import { hash } from 'node:crypto';
import type { AnswerOf, BodyOf, Permission } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  type ClaimPattern,
  type exchangeIdentity as contract,
  workloadTokenSeconds,
} from '@recordproof/shared/api/workload-identity.ts';
import { decodeJwt, type JWTPayload } from 'jose';
import { callAs, type Origin } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { addToken } from '../api-tokens/index.ts';
import { recordAudit } from '../audit/index.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { findMismatch } from './policy.ts';
import { findServiceAccount, listRules, lockRule, noteFirstUse, type RuleRow } from './queries.ts';

/** Allowed difference from an issuer's clock. */
const skewMs = 60_000;

type Dependencies = Pick<Server, 'database' | 'clock' | 'rejections'> & {
  readonly issuerKeys: Pick<IssuerKeys, 'verify'>;
};

const rejected = (reason: string) =>
  new ApiError('PERMISSION_TOKEN_INVALID', `the identity token is not accepted: ${reason}`);

function readIssuer(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

/** Identifies a token: its issuer's id, or its complete signed content. */
function toDigest(token: string, { iss, jti }: JWTPayload): string {
  const what = jti === undefined ? token.slice(0, token.lastIndexOf('.')) : `${iss}\n${jti}`;
  return hash('sha256', what, 'base64url');
}

export async function exchangeIdentity(
  server: Dependencies,
  origin: Origin,
  { account: externalId, subjectToken }: BodyOf<typeof contract>,
): Promise<AnswerOf<typeof contract>> {
  const { database, rejections } = server;
  const account = await findServiceAccount(database.db, externalId);
  const issuer = readIssuer(subjectToken);
  if (account === null || issuer === null) throw rejected('no trust rule fits');
  const call = callAs(origin, { tenantId: account.tenant_id, userId: account.id, username: account.username });
  const about = { tenantId: account.tenant_id, userId: account.id };
  try {
    const rules = (await listRules(database.db, about)).filter(rule => rule.issuer === issuer);
    if (rules.length === 0) throw rejected('no trust rule fits');
    const payload = await server.issuerKeys.verify(subjectToken, issuer);
    return await issue(server, call, { owner: account, rule: pickRule(rules, payload), payload, subjectToken });
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'PERMISSION_TOKEN_INVALID') {
      const entry = { module: 'workload-identity', operation: 'exchange', description: 'identity token rejected' };
      const errorMessage = error.message;
      await rejections.record({
        call,
        entry: { ...entry, errorMessage },
        subject: `workload:${account.id}:${errorMessage}`,
      });
    }
    throw error;
  }
}

function pickRule(rules: readonly RuleRow[], payload: JWTPayload): RuleRow {
  const reasons: string[] = [];
  for (const rule of rules) {
    const reason = findMismatch({ ...rule, claims: JSON.parse(rule.claims) as ClaimPattern[] }, payload);
    if (reason === null) return rule;
    reasons.push(`${rule.name}: ${reason}`);
  }
  throw rejected(`no trust rule fits (${reasons.join('; ').slice(0, 300)})`);
}

type Issue = {
  readonly owner: NonNullable<Awaited<ReturnType<typeof findServiceAccount>>>;
  readonly rule: RuleRow;
  readonly payload: JWTPayload & { readonly exp: number };
  readonly subjectToken: string;
};

function issue(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: ReturnType<typeof callAs>,
  { owner, rule, payload, subjectToken }: Issue,
): Promise<AnswerOf<typeof contract>> {
  return database.db.transaction().execute(async tx => {
    const usedUntil = Math.min(Math.ceil(payload.exp * 1000) + skewMs, Number.MAX_SAFE_INTEGER);
    const isFirst = await noteFirstUse(tx, toDigest(subjectToken, payload), usedUntil);
    if (!isFirst) throw rejected('it was used before');
    const now = clock.now();
    const scopes = rule.scopes.split(' ') as Permission[];
    const limits = { scopes, folder: rule.folder ?? undefined, addresses: rule.addresses.split(' ').filter(Boolean) };
    const expiresAt = now + workloadTokenSeconds * 1000;
    const input = { ...limits, name: rule.name, createdBy: rule.created_by, expiresAt, ruleId: rule.id };
    const { token, row } = await addToken(tx, owner, input, now);
    // A rule that was deleted while the issuer was asked for its keys issues nothing. Locked after the account, which
    // the token refers to, as when the account is deleted.
    if (!(await lockRule(tx, rule))) throw rejected('no trust rule fits');
    const { iss, sub } = payload;
    const param = { tokenId: row.id, ruleId: rule.id, issuer: iss, subject: String(sub ?? '').slice(0, 300) };
    const text = `API token issued to a job under the rule "${rule.name}"`;
    await recordAudit(tx, call, now, 'workload-identity.exchange', text, param);
    return { token, expiresIn: workloadTokenSeconds, scopes, folder: rule.folder };
  });
}
