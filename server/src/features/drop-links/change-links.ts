// Owner operations on drop links: create, change, close, delete.
import {
  type createDropLink as createApi,
  mostDropLinks,
  type updateDropLink as updateApi,
} from '@recordproof/shared/api/drop-links.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { randomBase62, toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AuditEntry, appendAudit } from '../audit/index.ts';
import { controlUpload } from '../upload-sessions/index.ts';
import {
  countLinks,
  deleteLinks,
  findLink,
  insertLink,
  type LinkChange,
  type LinkRow,
  listUnderWay,
  lockLink,
  type Owner,
  updateLink,
} from './queries.ts';
import { toClientId } from './send-file.ts';

const minuteMs = 60_000;
const codeLength = 22;

export const ownerOf = ({ tenantId, userId }: Actor): Owner => ({ tenantId, ownerId: userId });

const notFound = (): ApiError => new ApiError('DROP_LINK_NOT_FOUND');

export async function getLink(db: Db, actor: Actor, id: string): Promise<LinkRow> {
  const link = await findLink(db, ownerOf(actor), toKey(id));
  if (!link) throw notFound();
  return link;
}

/** The code grants access, so the log identifies the link by its id. */
const toEntry = (operation: string, link: LinkRow, param: Readonly<Record<string, unknown>> = {}): AuditEntry => ({
  module: 'drop-links',
  operation,
  description: `drop link ${link.id} (${link.title}): ${operation}`,
  param: { dropLinkId: link.id, ...param },
});

type Changes = Pick<Server, 'database' | 'clock' | 'passwords'>;

export async function createLink(server: Changes, call: Call, input: BodyOf<typeof createApi>): Promise<LinkRow> {
  const { database, clock, passwords } = server;
  const owner = ownerOf(call.actor);
  const passwordHash = input.password === undefined ? null : await passwords.hash(input.password, call.ip);
  return database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, `drop-links:${owner.ownerId}`);
    if ((await countLinks(tx, owner)) >= mostDropLinks)
      throw new ApiError('CONFLICT', `you have ${mostDropLinks} drop links; delete some of them first`);
    const now = clock.now();
    const link = await insertLink(tx, {
      tenant_id: owner.tenantId,
      owner_id: owner.ownerId,
      code: randomBase62(codeLength),
      title: input.title,
      message: input.message,
      path: input.path ?? null,
      fields: JSON.stringify(input.fields),
      password_hash: passwordHash,
      max_files: input.maxFiles,
      max_bytes: input.maxBytes,
      max_file_bytes: input.maxFileBytes,
      max_files_per_address: input.maxFilesPerAddress,
      arrived_files: 0,
      arrived_bytes: 0,
      expire_at: toExpiry(now, input.expireMinutes),
      closed_at: null,
      created_at: now,
      mail_at: null,
      mailed_files: 0,
    });
    await appendAudit(tx, call, toEntry('create', link, { path: link.path }), now);
    return link;
  });
}

const toExpiry = (now: Time, minutes: number): Time => now + minutes * minuteMs;

type Input = BodyOf<typeof updateApi>;
type Update = { readonly id: string; readonly input: Input };

export async function changeLink(server: Changes, call: Call, { id, input }: Update): Promise<LinkRow> {
  const { database, clock, passwords } = server;
  const { password } = input;
  const passwordHash = typeof password === 'string' ? await passwords.hash(password, call.ip) : password;
  const found = await getLink(database.db, call.actor, id);
  return database.db.transaction().execute(async tx => {
    const link = await lockLink(tx, database.kind, found.id);
    if (!link) throw notFound();
    const now = clock.now();
    const changed = await updateLink(tx, link.id, toChange(link, input, passwordHash, now));
    const { password: _, ...shown } = input;
    const isClosing = input.closed === true && link.closed_at === null;
    await appendAudit(tx, call, toEntry(isClosing ? 'close' : 'update', changed, shown), now);
    return changed;
  });
}

const toChange = (link: LinkRow, input: Input, passwordHash: string | null | undefined, now: Time): LinkChange => ({
  title: input.title ?? link.title,
  message: input.message === undefined ? link.message : input.message,
  password_hash: passwordHash === undefined ? link.password_hash : passwordHash,
  max_files: input.maxFiles ?? link.max_files,
  max_bytes: input.maxBytes ?? link.max_bytes,
  max_file_bytes: input.maxFileBytes ?? link.max_file_bytes,
  max_files_per_address: input.maxFilesPerAddress ?? link.max_files_per_address,
  expire_at: input.expireMinutes === undefined ? link.expire_at : toExpiry(now, input.expireMinutes),
  closed_at: input.closed === undefined ? link.closed_at : input.closed ? (link.closed_at ?? now) : null,
});

/** Unfinished uploads of its senders are cancelled afterwards; after a crash in between they expire. */
export async function deleteLink(
  server: Pick<Server, 'database' | 'clock' | 'config' | 'underWay'>,
  call: Call,
  id: string,
): Promise<void> {
  const { database, clock } = server;
  const found = await getLink(database.db, call.actor, id);
  const underWay = await database.db.transaction().execute(async tx => {
    const link = await lockLink(tx, database.kind, found.id);
    if (!link) throw notFound();
    const arrivals = await listUnderWay(tx, link.id);
    await deleteLinks(tx, [link.id]);
    await appendAudit(tx, call, toEntry('delete', link, { arrivedFiles: link.arrived_files }), clock.now());
    return arrivals;
  });
  for (const arrival of underWay) await cancelUpload(server, call, toClientId(arrival));
}

async function cancelUpload(server: Parameters<typeof controlUpload>[0], call: Call, clientId: string): Promise<void> {
  try {
    await controlUpload(server, call, { clientId, target: 'CANCELLED' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // it has not begun, or is over
  }
}
