import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/proofs.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import { type FileRow, findFile, listFilesById } from '../files/index.ts';
import { recallProof, revokeProof } from './change-status.ts';
import { refreshStatus } from './check-proof.ts';
import { exportMany } from './export-many.ts';
import { exportProof, getProof } from './export-proof.ts';
import { findManifestDigest, findProofPositions } from './ledger-entries.ts';
import { findKey, findProof, listKeys, type ProofKeyRow, type ProofRow } from './queries.ts';
import type { Proving } from './signing.ts';

export const toIssuerKey = (key: ProofKeyRow): api.IssuerKey => ({
  algorithm: 'EdDSA',
  keyId: key.key_id,
  keyVersion: key.key_version,
  publicKeyFingerprint: key.fingerprint,
  publicKeySpki: key.public_spki,
});

const toDatedKey = (key: ProofKeyRow): api.DatedIssuerKey => ({
  ...toIssuerKey(key),
  usedFrom: toIso(key.created_at),
  usedUntil: toIsoOrNull(key.retired_at),
});

async function readStatus({ database: { db }, ledger }: Proving, proof: ProofRow): Promise<api.ProofStatusView> {
  const [file] = await listFilesById(db, proof.tenant_id, [proof.file_id]);
  const ledgerEntries = await findProofPositions(db, proof);
  // What is named here can be read under the newest checkpoint, but where the objects are out of reach.
  await ledger.publishUpTo(Math.max(...Object.values(ledgerEntries).map(position => position ?? -1))).catch(() => {});
  const issued = { manifestSha256: findManifestDigest(proof), contentHash: file?.content_hash ?? null };
  return { ...toStatus(proof), ...issued, ledgerEntries };
}

const toStatus = (proof: ProofRow): api.ProofStatusView => ({
  proofId: proof.proof_id,
  status: proof.status,
  statusVersion: proof.status_version,
  issuedStatus: 'ACTIVE',
  keyId: proof.key_id,
  keyVersion: proof.key_version,
  reason: proof.reason,
  issuedAt: toIso(proof.issued_at),
  updatedAt: toIso(proof.updated_at),
});

/** Proofs outlive their files: a deleted file still has its own. Whoever may not see it learns that there is nothing. */
const maySee = (actor: Actor, file: FileRow): boolean =>
  (file.owner_id === actor.userId || actor.permissions.has('file:admin')) &&
  (file.status === fileStatus.SUCCESS || file.status === fileStatus.DELETE);

/** Throws for a file whose proof the caller may not have. */
export async function getProvenFile(db: Db, actor: Actor, id: string): Promise<FileRow> {
  const file = await findFile(db, actor.tenantId, toKey(id));
  if (file === null || !maySee(actor, file)) throw new ApiError('FILE_NOT_EXIST');
  return file;
}

export const proofRoutes = (server: Proving): Route[] => {
  const { db } = server.database;
  const getVisible = (actor: Actor, id: string): Promise<FileRow> => getProvenFile(db, actor, id);
  return [
    plainRoute(api.exportProof, async r => exportProof(server, await getVisible(r.actor, r.params.id))),
    plainRoute(api.exportProofs, r => exportMany(server, r, r.body.ids, id => getVisible(r.actor, id))),
    route(api.getProofStatus, async r => {
      const proof = await getProof(server, await getVisible(r.actor, r.params.id));
      return readStatus(server, await refreshStatus(server, proof));
    }),
    route(api.revokeProof, async r => {
      const proof = await recallProof(server, await getProof(server, await getVisible(r.actor, r.params.id)));
      return readStatus(server, await revokeProof(server, r, { proof, reason: r.body.reason }));
    }),
    route(api.listIssuerKeys, async () => (await listKeys(db)).toReversed().map(toIssuerKey)),
    route(api.getIssuerKey, async ({ params }) => {
      const key = await findKey(db, params.keyId, params.keyVersion);
      if (key === null) throw new ApiError('NOT_FOUND', 'no such key');
      return toDatedKey(key);
    }),
    route(api.getPublicProofStatus, async ({ params }) => {
      const proof = await findProof(db, params.proofId);
      if (proof === null) throw new ApiError('NOT_FOUND', 'no such proof');
      return readStatus(server, await refreshStatus(server, proof));
    }),
  ];
};
