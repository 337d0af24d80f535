// @module-tag long-on-postgres
// Existence of a stored file, proved offline: the verifier checks the exported evidence without the server.
import { randomBytes } from 'node:crypto';
import { digestProofId, parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { parseTypedKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { parseTlogProof, writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { judgeExistence } from '@recordproof/verifier/existence/judge-existence.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { cosign, witnesses } from '../../../../test/support/existence-world.ts';
import { noteVerifiers } from '../../../../test/support/note-keys.ts';
import { exportProof, laptop, openProof } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';

test('the existence of a file is proved by its entry under a cosigned checkpoint; another file is not', async () => {
  await using app = await startApp({ env: laptop });
  const ada = await app.person('ada');
  const bytes = randomBytes(2000);
  const { fileId } = await storeProxied(ada, bytes);
  await app.drain();
  const archive = await exportProof(ada, fileId);
  const { proofId } = openProof(archive).manifest;
  const response = await app.anonymous.fetch(`/api/v1/public/proofs/${proofId}/tlog-proof`);
  const { note, ...proof } = parseTlogProof(Buffer.from(await response.arrayBuffer()));
  expect(parseLedgerEntry(proof.extra ?? Buffer.alloc(0))).toMatchObject({
    kind: 'PROOF_ISSUED',
    proofIdSha256: digestProofId(proofId),
  });
  const tlogProof = writeTlogProof({ ...proof, checkpoint: await cosign(proof.checkpoint) });
  const log = toTypedKeyText(parseTypedKey(app.app.server.ledger.verifierKey));
  const [one, two] = witnesses.map(toTypedKeyText);
  const policy = Buffer.from(
    `log ${log}\nwitness one ${one}\nwitness two ${two}\ngroup both all one two\nquorum both\n`,
  );
  const judge = (original: Uint8Array) =>
    judgeExistence(
      {
        archive,
        tlogProof,
        policy,
        original: (async function* () {
          yield original;
        })(),
        maxOriginalBytes: 2 ** 30,
        required: [],
      },
      { ...nodePlatform, noteVerifiers, verifySignature },
    );
  expect(await judge(bytes)).toMatchObject({ outcome: 'EXISTED', entry: { kind: 'PROOF_ISSUED' } });
  expect(await judge(randomBytes(2000))).toMatchObject({ outcome: 'CONTRADICTED', reason: 'ARCHIVE_CONTRADICTED' });
});
