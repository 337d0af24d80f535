// Routes of vouchers.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getLedgerCheckpoint } from '@recordproof/shared/api/ledger.ts';
import * as api from '@recordproof/shared/api/vouchers.ts';
import { sha256, toHex } from '@recordproof/shared/evidence/digest.ts';
import { toBulkAnswer } from '../../platform/http/bulk-answer.ts';
import { type PlainAnswer, plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { findLog, findNewestCheckpoint, LedgerDamaged } from '../chain/index.ts';
import { isUnchanged, toAttachment } from '../downloads/index.ts';
import { openGetProven, type Proven } from '../proofs/index.ts';
import { type EvidenceServer, getOts, getStamp, listStamps, type PackOptions, packEvidence } from './evidence.ts';
import { toWitnessSigner, writeWitnessKey } from './peer-key.ts';
import { cosign, makeTlogProof } from './tlog-proof.ts';
import { answerPeer } from './witness-peers.ts';

const toNote = (body: Uint8Array): PlainAnswer => ({
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
  body,
});

export async function withLedgerErrors(work: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof LedgerDamaged)) throw cause;
    const message = 'part of the ledger is damaged; ask an administrator to restore it from a backup';
    throw new ApiError('SERVICE_UNAVAILABLE', message, { cause });
  }
}

/** Sends nothing if the client has the same bytes. */
function toDownload(
  body: Uint8Array,
  { headers }: Pick<Request, 'headers'>,
  more: Readonly<Record<string, string>>,
): PlainAnswer {
  const etag = `"${toHex(sha256(body))}"`;
  const own = { 'cache-control': 'private, no-cache', ...more, etag };
  if (isUnchanged(headers['if-none-match'], etag)) return { status: 304, headers: own, body: null };
  return { headers: { ...own, 'content-length': body.length }, body };
}

const toZip = (name: string) => ({
  'content-type': 'application/zip',
  'content-disposition': toAttachment(`${name}.evidence.zip`),
});

/** For a file whose proof the caller may have. */
export const exportEvidenceOf = async (
  server: EvidenceServer,
  proven: Proven,
  request: Pick<Request, 'headers'>,
  options: PackOptions = {},
): Promise<PlainAnswer> =>
  toDownload(
    await withLedgerErrors(() => packEvidence(server, proven, options)),
    request,
    toZip(proven.file.file_name),
  );

export function voucherRoutes(server: EvidenceServer & Pick<Server, 'keys'>): Route[] {
  return [...proofRoutes(server), ...fileRoutes(server), ...witnessRoutes(server)];
}

/** Public by proof id: contains only hashes, and vouchers for them. */
const proofRoutes = (server: EvidenceServer): Route[] => [
  plainRoute(api.getTlogProof, async r => {
    const proof = await withLedgerErrors(() => makeTlogProof(server, r.params.proofId, r.query.fromSize));
    return toDownload(proof, r, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' });
  }),
  plainRoute(api.getTimeStamp, async r => {
    const stamp = await getStamp(server, r.params.proofId, r.query.fromSize);
    return toDownload(stamp, r, { 'content-type': 'application/timestamp-reply', 'cache-control': 'no-cache' });
  }),
];

/** For callers who may have the proof archive. */
const fileRoutes = (server: EvidenceServer): Route[] => {
  const getProven = openGetProven(server);
  return [
    plainRoute(api.getFileOts, async r => {
      const proven = await getProven(r.actor, r.params.id);
      const ots = await withLedgerErrors(() => getOts(server, proven, r.query.fromSize));
      return toDownload(ots, r, {
        'content-type': 'application/vnd.opentimestamps.v1',
        'content-disposition': toAttachment(`${proven.file.file_name}.ots`),
      });
    }),
    plainRoute(api.exportEvidence, async r =>
      exportEvidenceOf(server, await getProven(r.actor, r.params.id), r, {
        isVouched: r.query.vouched === 'true',
        fromSize: r.query.fromSize,
      }),
    ),
    plainRoute(api.exportManyEvidence, r =>
      toBulkAnswer(r, r.body.ids, async id => {
        const proven = await getProven(r.actor, id);
        return withLedgerErrors(() => packEvidence(server, proven, r.body));
      }),
    ),
  ];
};

function witnessRoutes(server: EvidenceServer & Pick<Server, 'keys'>): Route[] {
  const { database, ledger, keys, config } = server;
  const signer = toWitnessSigner(ledger.key.name, keys.ledger);
  return [
    plainRoute(getLedgerCheckpoint, async () => {
      const newest = await findNewestCheckpoint(database.db);
      const log = await findLog(database.db);
      if (newest === null || log === null) throw new Error('internal: the opened ledger has no checkpoint');
      // Its followers would take an older checkpoint than the published one for a rewritten history.
      if (log.fenced_at !== null)
        throw new ApiError('SERVICE_UNAVAILABLE', 'this server does not have the newest checkpoint; try again later');
      return toNote(await cosign(database.db, newest));
    }),
    route(api.listLedgerStamps, () => listStamps(database)),
    plainRoute(api.addWitnessCheckpoint, ({ stream }) => answerPeer(server, signer, stream)),
    plainRoute(api.getWitnessKey, async () => {
      if (config.ledger.peers.length === 0)
        throw new ApiError('NOT_FOUND', 'this server is not configured as a witness');
      return toNote(await writeWitnessKey(signer, keys.ledger));
    }),
  ];
}
