// Signed statements of backups, and the check that signed statements cover the position at which a log was cut.
import { canonicalBytes, canonicalJson, type JsonValue } from '@recordproof/shared/evidence/canonical-json.ts';
import { isSameBytes, parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseJws, signJws, toJwsHeader } from '@recordproof/shared/evidence/jws.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type Anchor, findAnchor, startOfChain } from '../audit/index.ts';
import { isSignedByKey, listKeys, type ProofKeyRow } from '../proofs/index.ts';
import { type BackupRow, listBackups } from './backup-queries.ts';
import { findPositionHash } from './queries.ts';

export type BackupStatement = {
  readonly tenantId: Key;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly previousHash: string;
  readonly lastHash: string;
  /** Of the lines before the signed line. */
  readonly digest: string;
  readonly createdAt: Time;
};

const schema = 'recordproof.audit-backup.v1';

type Signed = { readonly statement: string; readonly jws: string; readonly digest: string };

export async function signStatement({ signing }: Pick<Server, 'signing'>, facts: BackupStatement): Promise<Signed> {
  const statement: JsonValue = {
    ...facts,
    schema,
    tenantId: toWireId(facts.tenantId),
    createdAt: toIso(facts.createdAt),
  };
  const key = await signing.current();
  const header = toJwsHeader(key.key_id, key.key_version);
  const jws = await signJws(header, canonicalBytes(statement), message => signing.sign(key, message));
  return { statement: canonicalJson(statement), jws: parseUtf8(jws).trimEnd(), digest: facts.digest };
}

/** Returns null if backups signed here, without gaps, contain the removed beginning of the tenant's log. */
export async function findUncoveredCut(db: Db, tenantId: Key): Promise<string | null> {
  const anchor = await findAnchor(db, tenantId);
  const problem = await findUncovered(db, tenantId, anchor);
  const wasCut = problem !== null && (await findAnchor(db, tenantId)).position !== anchor.position;
  return wasCut ? findUncoveredCut(db, tenantId) : problem;
}

async function findUncovered(db: Db, tenantId: Key, anchor: Anchor): Promise<string | null> {
  const backups = await listBackups(db, tenantId);
  const keys = await listKeys(db);
  let lastLink = { position: 0, hash: startOfChain };
  for (const backup of backups) {
    if (!(await isSound(backup, lastLink, keys)))
      return `the backup of row ${backup.first_position} on is not as it was signed`;
    lastLink = { position: backup.last_position, hash: backup.last_hash };
    if (anchor.position > lastLink.position) continue;
    const there =
      anchor.position === lastLink.position ? anchor.hash : await findPositionHash(db, tenantId, lastLink.position);
    if (there !== lastLink.hash) return `row ${lastLink.position} is not the one that was backed up`;
  }
  return anchor.position > lastLink.position ? `rows up to ${anchor.position} are gone without a backup` : null;
}

async function isSound(backup: BackupRow, anchor: { position: number; hash: string }, keys: readonly ProofKeyRow[]) {
  try {
    const jws = parseJws(toUtf8(`${backup.jws}\n`));
    const key = keys.find(one => one.key_id === jws.header.kid && one.key_version === jws.header.keyVersion);
    const statement = JSON.parse(backup.statement) as Record<string, unknown>;
    const expected = {
      schema,
      tenantId: toWireId(backup.tenant_id),
      firstPosition: anchor.position + 1,
      lastPosition: backup.last_position,
      previousHash: anchor.hash,
      lastHash: backup.last_hash,
      digest: backup.digest,
      createdAt: statement.createdAt as JsonValue,
    };
    const isSaid = isSameBytes(jws.payload, canonicalBytes(expected));
    return key !== undefined && isSaid && (await isSignedByKey(key, jws));
  } catch {
    return false;
  }
}
