// Parts of a proof's JWS that its row keeps: the signature, and the digest of the signed bytes.
import { toBase64Url, toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseJws } from '@recordproof/shared/evidence/jws.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import { sql } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';

type Kept = { readonly manifest_sha256: string; readonly signature: string };

/** Throws if it is malformed. */
export function splitJws(jws: Uint8Array): Kept {
  const { payload, signature } = parseJws(jws);
  return { manifest_sha256: toHex(sha256(payload)), signature: toBase64Url(signature) };
}

/** Rows that an earlier release wrote. A malformed JWS leaves an empty signature, which makes the proof invalid. */
export async function splitAllJws(tx: Tx, engine: Engine): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ id: Key; jws: string }>`
      select id, jws from proof where id > ${last} order by id limit ${rowsAtOnce}`.execute(tx);
    if (rows.length === 0) return;
    await store(tx, engine, rows.flatMap(toKept));
    last = rows.at(-1)?.id ?? last;
  }
}

const rowsAtOnce = 1000;

/** Not parsed strictly: every export checks the signature over the whole that is built again. */
function toKept({ id, jws }: { id: Key; jws: string }): [Key, string, string][] {
  const [, payload, signature = ''] = jws.trimEnd().split('.');
  if (payload === undefined || !/^[\w-]{86}$/.test(signature)) return [];
  return [[id, toHex(sha256(Buffer.from(payload, 'base64url'))), signature]];
}

async function store(tx: Tx, engine: Engine, kept: readonly [Key, string, string][]): Promise<void> {
  const json = JSON.stringify(kept);
  const source =
    engine === 'postgres'
      ? sql`(select (value ->> 0)::bigint id, value ->> 1 digest, value ->> 2 signature from json_array_elements(${json}::json))`
      : sql`(select value ->> 0 id, value ->> 1 digest, value ->> 2 signature from json_each(${json}))`;
  await sql`update proof set manifest_sha256 = kept.digest, signature = kept.signature
    from ${source} kept where proof.id = kept.id`.execute(tx);
}
