// Executes the worked answers of docs/spec/verification.md: with them the worked archive is valid, and without one of them
// it is not.
import { parseHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { expect, test } from 'vitest';
import { readExample, readText } from '../../../test/support/spec-examples.ts';
import { writeZip } from '../../../test/support/zip.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { type LiveEvidence, parseKeyAnswer, parseRootAnswer, parseStatusAnswer } from './live-evidence.ts';
import { verifyProof } from './verify-proof.ts';

const plain = readExample('manifest.md', 'plain');
const endsWithLine = ['README.verify.md', 'issuer-signature.jws'];

function readEntry(name: string): Uint8Array {
  if (name === 'file.hash') return toUtf8(`${plain('contentHash')}\n`);
  const text = readText('proof-archive.md', name);
  return toUtf8(endsWithLine.includes(name) ? text : text.slice(0, -1));
}

const answer = (name: string): Uint8Array => toUtf8(readText('verification.md', name));
const live: LiveEvidence = {
  findIssuerKey: async () => ({ kind: 'found', value: parseKeyAnswer(answer('key.json')) }),
  findStatus: async () => ({ kind: 'found', value: parseStatusAnswer(answer('status.json')) }),
  findChainRoot: async () => ({ kind: 'found', value: parseRootAnswer(answer('root.json')) }),
};
const unknown = async () => ({ kind: 'unknown' }) as const;

async function judge(outside: LiveEvidence): Promise<string> {
  const archive = writeZip(proofEntryNames.map(name => ({ name, data: readEntry(name) })));
  async function* original() {
    yield parseHex(plain('content'));
  }
  const request = { archive, original: original(), maxOriginalBytes: 1000, live: outside };
  return (await verifyProof(request, nodePlatform)).outcome;
}

test('the example archive is valid with its three responses, and with no two of them', async () => {
  expect(await judge(live)).toBe('VALID');
  for (const question of Object.keys(live)) expect(await judge({ ...live, [question]: unknown })).toBe('INDETERMINATE');
});
