import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getLedgerCheckpoint } from '@recordproof/shared/api/ledger.ts';
import { addWitnessCheckpoint, getTlogProof, getWitnessKey } from '@recordproof/shared/api/vouchers.ts';
import { type PlainAnswer, plainRoute, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { findNewestCheckpoint, LedgerDamaged } from '../chain/index.ts';
import { toWitnessSigner, writeWitnessKey } from './peer-key.ts';
import { cosign, makeTlogProof, type Proving } from './tlog-proof.ts';
import { answerPeer } from './witness-peers.ts';

const toNote = (body: Uint8Array): PlainAnswer => ({
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
  body,
});

export function voucherRoutes(server: Proving & Pick<Server, 'keys' | 'log'>): Route[] {
  const { database, ledger, keys, config } = server;
  const signer = toWitnessSigner(ledger.key.name, keys.ledger);
  return [
    plainRoute(getLedgerCheckpoint, async () => {
      const newest = await findNewestCheckpoint(database.db);
      if (newest === null) throw new Error('an opened ledger has a checkpoint');
      return toNote(await cosign(database.db, newest));
    }),
    plainRoute(getTlogProof, async ({ params }) => {
      try {
        return toNote(await makeTlogProof(server, params.proofId));
      } catch (cause) {
        if (!(cause instanceof LedgerDamaged)) throw cause;
        throw new ApiError('SERVICE_UNAVAILABLE', 'a part of the ledger is damaged and has to be restored first', {
          cause,
        });
      }
    }),
    plainRoute(addWitnessCheckpoint, ({ stream }) => answerPeer(server, signer, stream)),
    plainRoute(getWitnessKey, async () => {
      if (config.ledger.peers.length === 0) throw new ApiError('NOT_FOUND', 'this server is no witness');
      return toNote(await writeWitnessKey(signer, keys.ledger));
    }),
  ];
}
