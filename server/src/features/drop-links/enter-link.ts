// Senders of a drop link: finding the link, entering it, and authentication by the token issued on entry. All details
// of a sender are unverified claims until checked here.
import { type DropField, dropCodePattern } from '@recordproof/shared/api/drop-links.ts';
import { type beginDrop, dropSenderHeader } from '@recordproof/shared/api/drop-senders.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { callAs } from '../../platform/call.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Request } from '../../platform/http/route.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount, isTenantActive, permissionsOf } from '../accounts/index.ts';
import { checkLinkPassword } from '../shares/index.ts';
import { assertAcceptsFiles, checkFields } from './policy.ts';
import {
  countSenders,
  deleteIdleSenders,
  digestToken,
  findLinkByCode,
  findSender,
  insertSender,
  type LinkRow,
  lockLink,
  type SenderRow,
} from './queries.ts';

export type Entered = { readonly link: LinkRow; readonly owner: AccountRow };
export type Sending = Entered & { readonly sender: SenderRow };

type Visitor = Pick<Request, 'ip' | 'method' | 'url' | 'startedAt' | 'headers'>;
type Entrance = Pick<Server, 'database' | 'clock' | 'shareAttempts' | 'passwords'>;

const dayMs = 24 * 3600_000;
/** Senders allowed in addition to one per remaining file. */
const spareSenders = 1000;
const tokenLength = 32;

/** Throws DROP_LINK_NOT_FOUND, also for links of suspended accounts and tenants. */
export async function findEntrance(server: Entrance, { ip }: Pick<Visitor, 'ip'>, code: string): Promise<Entered> {
  const entered = dropCodePattern.test(code) ? await findActiveLink(server.database.db, code) : null;
  if (entered !== null) return entered;
  await server.shareAttempts.countUnknownCode(ip);
  throw new ApiError('DROP_LINK_NOT_FOUND');
}

async function findActiveLink(db: Db, code: string): Promise<Entered | null> {
  const link = await findLinkByCode(db, code);
  if (link === null) return null;
  const owner = await findAccount(db, link.tenant_id, link.owner_id);
  return owner?.status === 'ACTIVE' && (await isTenantActive(db, link.tenant_id)) ? { link, owner } : null;
}

export const fieldsOf = ({ fields }: LinkRow): DropField[] => JSON.parse(fields) as DropField[];

/** Returns the token that authenticates the sender from now on. */
export async function enterLink(
  server: Entrance,
  visitor: Visitor,
  { code, body }: { readonly code: string; readonly body: BodyOf<typeof beginDrop> },
): Promise<string> {
  const { database, clock } = server;
  const { link } = await findEntrance(server, visitor, code);
  assertAcceptsFiles(link, clock.now());
  if (link.password_hash !== null) await checkPassword(server, visitor, link, body.password ?? '');
  const fields = checkFields(fieldsOf(link), body.fields);
  const token = randomBase62(tokenLength);
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    if ((await lockLink(tx, database.kind, link.id)) === null) throw new ApiError('DROP_LINK_NOT_FOUND');
    if ((await countSenders(tx, link.id)) >= link.max_files + spareSenders) {
      await deleteIdleSenders(tx, link.id, now - dayMs);
      if ((await countSenders(tx, link.id)) >= link.max_files + spareSenders)
        throw new ApiError('DROP_LINK_FULL', 'too many people have opened this link today; try again tomorrow', {
          detail: { reason: 'SENDERS' },
        });
    }
    await insertSender(tx, {
      tenant_id: link.tenant_id,
      link_id: link.id,
      token_digest: digestToken(token),
      fields: JSON.stringify(fields),
      ip: visitor.ip,
      created_at: now,
    });
  });
  return token;
}

async function checkPassword(server: Entrance, { ip }: Visitor, link: LinkRow, password: string): Promise<void> {
  if (password === '')
    throw new ApiError('FORBIDDEN', 'this drop link requires a password', { detail: { reason: 'PASSWORD_REQUIRED' } });
  await checkLinkPassword(server, { id: `drop-${link.id}`, hash: link.password_hash, ip }, password);
}

/** Throws UNAUTHORIZED if the token does not belong to a sender of this link. */
export async function findSending(server: Entrance, visitor: Visitor, code: string): Promise<Sending> {
  const entered = await findEntrance(server, visitor, code);
  const token = visitor.headers[dropSenderHeader.toLowerCase()]?.toString() ?? '';
  const sender = token === '' ? null : await findSender(server.database.db, entered.link, token);
  if (sender === null) throw new ApiError('UNAUTHORIZED', 'the sender is unknown: open the drop link first');
  return { ...entered, sender };
}

/**
 * The sender acts for the owner of the link: received files belong to the owner. The audit log names the link instead.
 */
export const toCall = ({ ip, method, url, startedAt }: Visitor, { link, owner }: Entered): Call =>
  callAs(
    { ip, method, startedAt, url: url.replaceAll(link.code, '…') },
    {
      tenantId: owner.tenant_id,
      userId: owner.id,
      externalId: owner.external_id,
      username: owner.username,
      email: owner.email,
      nickname: owner.nickname,
      avatar: owner.avatar,
      role: owner.role,
      registeredAt: owner.registered_at,
      permissions: permissionsOf(owner.role),
      authVersion: owner.auth_version,
      tokenId: `drop.${link.id}`,
      tokenExpiresAt: link.expire_at,
      authenticatedAt: null,
      dropLinkId: link.id,
    },
  );
