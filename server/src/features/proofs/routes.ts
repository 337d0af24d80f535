// Routes of proofs.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/proofs.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import { toBulkAnswer } from '../../platform/http/bulk-answer.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { FileRow } from '../files/index.ts';
import { recallProof, revokeProof } from './change-status.ts';
import { refreshStatus } from './check-proof.ts';
import { exportProof, getProof, writeArchive } from './export-proof.ts';
import { findManifestDigest } from './ledger-entries.ts';
import { type Proven, prepareFindOnLedger, prepareFindProven } from './proven-queries.ts';
import { findKey, findProof, listKeys, type ProofKeyRow, type ProofRow, proofOfFile } from './queries.ts';
import { type Proving, toProofKey } from './signing.ts';

export const toIssuerKey = (key: ProofKeyRow): api.IssuerKey => ({
  algorithm: 'EdDSA',
  ...toProofKey(key),
  publicKeySpki: key.public_spki,
});

const toDatedKey = (key: ProofKeyRow): api.DatedIssuerKey => ({
  ...toIssuerKey(key),
  usedFrom: toIso(key.created_at),
  usedUntil: toIsoOrNull(key.retired_at),
});

type Read = Partial<Pick<Proven, 'file' | 'stored' | 'ledger'>>;

async function readStatus(
  server: Proving,
  storedProof: ProofRow,
  { file, ...read }: Read,
): Promise<api.ProofStatusView> {
  const { proof, positions: ledgerEntries } = await refreshStatus(server, storedProof, read);
  // The named entries can be read under the newest checkpoint, unless the object store is unavailable.
  const newest = Math.max(...Object.values(ledgerEntries).map(position => position ?? -1));
  await server.ledger.publishUpTo(newest).catch(() => {});
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

/** Proofs outlive their files: a deleted file keeps its own. Without access the error is FILE_NOT_EXIST. */
const maySee = (actor: Actor, file: FileRow): boolean =>
  (file.owner_id === actor.userId || actor.permissions.has('file:admin')) &&
  (file.status === fileStatus.SUCCESS || file.status === fileStatus.DELETE);

/** Reads a file with its proof; throws if the caller has no access to the proof. */
type GetProven = (actor: Actor, fileId: string) => Promise<Proven>;

export function openGetProven({ database }: Pick<Proving, 'database'>): GetProven {
  const findProven = prepareFindProven(database);
  return async (actor, fileId) => assertVisible(actor, await findProven(actor.tenantId, toKey(fileId)));
}

function assertVisible(actor: Actor, proven: Proven | null): Proven {
  if (proven === null || !maySee(actor, proven.file)) throw new ApiError('FILE_NOT_EXIST');
  return proven;
}

export const proofRoutes = (server: Proving): Route[] => {
  const { db } = server.database;
  const getProven = openGetProven(server);
  const findProven = prepareFindProven(server.database);
  const findOnLedger = prepareFindOnLedger(server.database);
  return [
    plainRoute(api.exportProof, async r => exportProof(server, await getProven(r.actor, r.params.id))),
    plainRoute(api.exportProofs, r =>
      toBulkAnswer(r, r.body.ids, async id => writeArchive(server, await getProven(r.actor, id))),
    ),
    {
      ...route(api.getProofStatus, async r => {
        const named = proofOfFile.rowOf(r.caller);
        const proven = named
          ? assertVisible(r.actor, await findOnLedger(named))
          : await getProven(r.actor, r.params.id);
        return readStatus(server, await getProof(server, proven), proven);
      }),
      beside: proofOfFile,
    },
    route(api.revokeProof, async r => {
      const proven = await getProven(r.actor, r.params.id);
      const proof = await recallProof(server, await getProof(server, proven));
      return readStatus(server, await revokeProof(server, r, { proof, reason: r.body.reason }), proven);
    }),
    route(api.listIssuerKeys, async () => (await listKeys(db)).toReversed().map(toIssuerKey)),
    route(api.getIssuerKey, async ({ params }) => {
      const key = await findKey(db, params.keyId, params.keyVersion);
      if (key === null)
        throw new ApiError('NOT_FOUND', `there is no signing key ${params.keyId} with version ${params.keyVersion}`);
      return toDatedKey(key);
    }),
    route(api.getPublicProofStatus, async ({ params }) => {
      const proof = await findProof(db, params.proofId);
      if (proof === null) throw new ApiError('NOT_FOUND', `there is no proof ${params.proofId}`);
      return readStatus(server, proof, (await findProven(proof.tenant_id, proof.file_id)) ?? {});
    }),
  ];
};
