// Vouchers with batch roots on an EVM chain: the proofs are also entries of the small ledger beside it, under its own
// name, so that the same witnesses vouch for them.
import { randomBytes } from 'node:crypto';
import { deployContract } from '@recordproof/server/features/chain/index.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { expect, test } from 'vitest';
import { startAnvil, writerKey } from '../support/anvil.ts';
import { testSigner } from '../support/note-keys.ts';
import { honestWitness, serve, startWitnessed } from '../support/outside-services.ts';
import { exportProof, openProof } from '../support/real-proofs.ts';
import { storeProxied } from '../support/uploads.ts';
import { makeLedgerFolder } from '../support/witnesses.ts';

test('a witness cosigns for proofs whose batch roots are on an EVM chain', { tags: 'long' }, async () => {
  await using node = await startAnvil();
  const { contract } = await deployContract(node.url, writerKey, { pollMs: 20 });
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const signer = testSigner('COSIGNATURE', 'one.example');
  await using witness = await serve(honestWitness(signer, ledger.logKey));
  await using app = await startWitnessed(ledger, {
    RECORDPROOF_CHAIN_RPC_URL: node.url,
    RECORDPROOF_CHAIN_CONTRACT: contract,
    RECORDPROOF_CHAIN_SENDER_KEY: writerKey,
    CHAIN_CONFIRMATIONS: '0',
    RECORDPROOF_LEDGER_WITNESSES: `${witness.url} ${toTypedKeyText(signer)}`,
  });
  const ada = await app.person('ada');
  const { fileId } = await storeProxied(ada, randomBytes(2000));
  const archive = async () => {
    await app.drain();
    return exportProof(ada, fileId).catch(() => null);
  };
  await expect.poll(archive, { timeout: 60_000, interval: 500 }).not.toBeNull();
  const { manifest, receipt } = openProof(await exportProof(ada, fileId));
  expect(receipt.contract.chainType).not.toBe('LOCAL_LEDGER');
  const read = () => app.anonymous.fetch(`/api/v1/public/proofs/${manifest.proofId}/tlog-proof`);
  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe(200);
  const proof = parseTlogProof(new Uint8Array(await (await read()).arrayBuffer()));
  expect(Buffer.from(proof.extra ?? []).toString()).toContain('"kind":"PROOF_ISSUED"');
  expect(parseSignedNote(proof.checkpoint).signatures.map(({ name }) => name)).toEqual([
    'ledger.example/log',
    'one.example',
  ]);
});
