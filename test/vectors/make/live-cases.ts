// Honest archives and what the issuer and the chain answer. The only vectors that may end in VALID.

import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import {
  attackerKey,
  type CannedAnswer,
  type Case,
  encryptedProof,
  issuerIdentity,
  issuerKey,
  keyFile,
  type Live,
  plainProof,
  singleProof,
  textOf,
  toEntries,
  zip,
} from './case.ts';
import { manyChunks } from './many-chunks.ts';
import { changed, type Loose, signedOver } from './resign.ts';

const entries = toEntries(plainProof);
const good = zip(entries);
const ok = (value: unknown): CannedAnswer => ({ status: 200, body: JSON.stringify(value) });
export const enveloped = (data: unknown) => ok({ code: 200, message: 'ok', data });

function honest(proof = plainProof): { status: Loose; chain: Loose } {
  const manifest = JSON.parse(textOf(toEntries(proof), 'manifest.json'));
  const receipt = JSON.parse(textOf(toEntries(proof), 'blockchain-receipt.json'));
  const { chainType, chainId, groupId, contractAddress } = receipt.contract;
  const status = {
    proofId: manifest.proofId,
    status: 'ACTIVE',
    statusVersion: 1,
    issuedStatus: 'ACTIVE',
    ...issuerIdentity,
  };
  const { contentHash } = JSON.parse(textOf(toEntries(proof), 'chunk-manifest.json'));
  const manifestSha256 = digestOf(proof['manifest.json']);
  const times = { issuedAt: manifest.issuedAt, updatedAt: 1769860800000 };
  return {
    status: { ...status, reason: null, ...times, manifestSha256, contentHash },
    chain: {
      schemaVersion: 'service-chain-root-resolution.v1',
      chainType,
      chainId,
      groupId,
      contractAddress,
      batchNo: receipt.batchNo,
      merkleRoot: receipt.batchChainRoot,
      transactionHash: receipt.batchTransactionHash,
      blockNumber: receipt.blockNumber,
    },
  };
}

const keyAnswer = enveloped({
  ...JSON.parse(keyFile(issuerKey)),
  usedFrom: '2026-01-01T00:00:00.000Z',
  usedUntil: null,
});
export const base = honest();
export const live = (status: object = {}, chain: object = {}): Live => ({
  key: keyAnswer,
  proofStatus: enveloped({ ...base.status, ...status }),
  chain: ok({ ...base.chain, ...chain }),
});

function valid(name: string, why: string, proof: typeof plainProof, changes: Partial<Case> = {}): Case {
  const { status, chain } = honest(proof);
  const answers = { key: keyAnswer, proofStatus: enveloped(status), chain: ok(chain) };
  return {
    name: `live-${name}`,
    why,
    archive: zip(toEntries(proof)),
    trustedKey: 'issuer.json',
    live: answers,
    expected: { outcome: 'VALID' },
    ...changes,
  };
}

const withoutTransaction = await changed(entries, 'blockchain-receipt.json', r => delete r.batchTransactionHash);

const valids: Case[] = [
  valid('plain', 'Everything agrees.', plainProof),
  valid('encrypted', 'Everything agrees; the upload was encrypted.', encryptedProof),
  valid('single', 'Everything agrees; one chunk, and a batch of one.', singleProof),
  valid('many-chunks', 'Everything agrees; a plan of two hundred and fifty chunks.', manyChunks),
  {
    ...valid('issuer-key', 'Everything agrees; the key came from the issuer, asked online.', plainProof),
    trustedKey: '',
  },
  valid('times-and-versions', 'The status with other allowed forms of numbers and times.', plainProof, {
    live: live({ statusVersion: '12', issuedAt: 1769860800000, updatedAt: '2026-01-31T13:00:00+01:00' }),
  }),
  valid('upper-case-hex', 'The chain writes its hex in upper case.', plainProof, {
    live: live(
      {},
      {
        contractAddress: base.chain.contractAddress.toUpperCase().replace('0X', '0x'),
        transactionHash: base.chain.transactionHash.toUpperCase().replace('0X', '0x'),
      },
    ),
  }),
  valid('no-transaction', 'Neither the receipt nor the chain names a transaction.', plainProof, {
    archive: withoutTransaction,
    live: live(
      { manifestSha256: digestOf(readProofArchive(withoutTransaction)['manifest.json']) },
      { transactionHash: null },
    ),
  }),
  valid('more-fields', 'Answers with fields that came later.', plainProof, {
    live: live({ note: 'x' }, { confirmations: 12 }),
  }),
];

type Ending = Pick<Case['expected'], 'outcome' | 'check' | 'code'>;
export const ending = (outcome: Ending['outcome'], check: string, code: string): Ending => ({ outcome, check, code });

export function answered(name: string, why: string, answers: Live, expected: Ending, trustedKey = 'issuer.json'): Case {
  return { name: `live-${name}`, why, archive: good, trustedKey, live: answers, expected };
}

const unfit = (code: string) => ending('INVALID', 'status.current', code);
const statuses: Case[] = [
  answered(
    'revoked',
    'The issuer has revoked the proof.',
    live({ status: 'REVOKED', statusVersion: 2, reason: 'lost' }),
    unfit('STATUS_REVOKED'),
  ),
  answered(
    'superseded',
    'A newer version has superseded the proof.',
    live({ status: 'SUPERSEDED', statusVersion: 2 }),
    unfit('STATUS_SUPERSEDED'),
  ),
  answered(
    'invalid',
    'The issuer has declared the proof invalid.',
    live({ status: 'INVALID', statusVersion: 2 }),
    unfit('STATUS_INVALID'),
  ),
  answered(
    'status-of-other',
    'The issuer answers about another proof.',
    live({ proofId: `rp-proof-${'0'.repeat(64)}` }),
    unfit('STATUS_IDENTITY_MISMATCH'),
  ),
  answered(
    'status-of-other-key',
    'The issuer answers about another key.',
    live({ keyVersion: 4 }),
    unfit('STATUS_IDENTITY_MISMATCH'),
  ),
];

const open = (name: string, why: string, answers: Live, check: string, code: string, trustedKey?: string): Case =>
  answered(name, why, answers, ending('INDETERMINATE', check, code), trustedKey);
export const proofStatus = (answer: CannedAnswer): Live => ({ ...live(), proofStatus: answer });
export const chain = (answer: CannedAnswer): Live => ({ ...live(), chain: answer });
export const key = (answer: CannedAnswer): Live => ({ ...live(), key: answer });

const unanswered: Case[] = [
  open(
    'status-unknown',
    'The issuer does not know the proof.',
    proofStatus({ status: 404 }),
    'status.current',
    'STATUS_UNKNOWN',
  ),
  open('status-down', 'The issuer is down.', proofStatus({ status: 503 }), 'status.current', 'STATUS_ANSWER_NOT_OK'),
  open(
    'status-busy',
    'The issuer asks to wait.',
    proofStatus({ status: 429 }),
    'status.current',
    'STATUS_ANSWER_NOT_OK',
  ),
  open(
    'status-moved',
    'The issuer sends elsewhere.',
    proofStatus({ status: 302 }),
    'status.current',
    'STATUS_REDIRECT_REFUSED',
  ),
  open(
    'status-malformed',
    'The issuer answers with broken JSON.',
    proofStatus({ status: 200, body: '{"code":200,"data":{' }),
    'status.current',
    'STATUS_ANSWER_MALFORMED',
  ),
  open(
    'status-not-ok',
    'The issuer answers 200 with an error inside.',
    proofStatus(ok({ code: 404, message: 'no', data: null })),
    'status.current',
    'STATUS_ANSWER_MALFORMED',
  ),
  open(
    'status-strange',
    'A status nobody knows.',
    live({ status: 'FINE' }),
    'status.current',
    'STATUS_ANSWER_MALFORMED',
  ),
  open(
    'status-version-zero',
    'A status version that is not positive.',
    live({ statusVersion: 0 }),
    'status.current',
    'STATUS_ANSWER_MALFORMED',
  ),
  open(
    'status-twice',
    'The status stands twice in the answer.',
    proofStatus({
      status: 200,
      body: `{"code":200,"message":"ok","data":${JSON.stringify(base.status).replace('{', '{"status":"REVOKED",')}}`,
    }),
    'status.current',
    'STATUS_ANSWER_MALFORMED',
  ),
  open(
    'chain-unknown',
    'The chain does not know the batch.',
    chain({ status: 404 }),
    'chain.live-root',
    'CHAIN_UNKNOWN',
  ),
  open('chain-down', 'The chain is down.', chain({ status: 502 }), 'chain.live-root', 'CHAIN_ANSWER_NOT_OK'),
  open(
    'chain-malformed',
    'The chain answers with broken JSON.',
    chain({ status: 200, body: 'null' }),
    'chain.live-root',
    'CHAIN_ANSWER_MALFORMED',
  ),
  open(
    'chain-schema',
    'The chain answers in another schema.',
    live({}, { schemaVersion: 'service-chain-root-resolution.v2' }),
    'chain.live-root',
    'CHAIN_ANSWER_MALFORMED',
  ),
  open(
    'chain-too-large',
    'An answer of more than 256 KiB.',
    chain({ status: 200, body: `{"x":"${'x'.repeat(262144)}"}` }),
    'chain.live-root',
    'CHAIN_ANSWER_TOO_LARGE',
  ),
  open('key-unknown', 'The issuer does not know the key.', key({ status: 404 }), 'signature.key', 'KEY_UNKNOWN', ''),
  open('key-down', 'The issuer cannot tell the key.', key({ status: 500 }), 'signature.key', 'KEY_ANSWER_NOT_OK', ''),
  open(
    'key-malformed',
    'The issuer tells a key whose fingerprint does not fit.',
    key(enveloped({ ...JSON.parse(keyFile(issuerKey)), publicKeyFingerprint: attackerKey.fingerprint })),
    'signature.key',
    'KEY_ANSWER_MALFORMED',
    '',
  ),
];

const unlike = (name: string, why: string, fields: object): Case =>
  answered(`chain-${name}`, why, live({}, fields), ending('INVALID', 'chain.live-root', 'CHAIN_ROOT_MISMATCH'));

const chains: Case[] = [
  unlike('root', 'The chain shows another root.', { merkleRoot: '0'.repeat(64) }),
  unlike('type', 'Another kind of chain answers.', { chainType: 'EVM' }),
  unlike('id', 'Another chain answers.', { chainId: '1' }),
  unlike('group', 'Another group answers.', { groupId: 'other' }),
  unlike('contract', 'Another contract answers.', { contractAddress: `0x${'1'.repeat(40)}` }),
  unlike('batch', 'The chain answers about another batch.', { batchNo: 'MB-18' }),
  unlike('transaction', 'Another transaction.', { transactionHash: `0x${'1'.repeat(64)}` }),
  unlike('no-transaction', 'The receipt names a transaction, the chain none.', { transactionHash: null }),
  unlike('block', 'Another block.', { blockNumber: 4712 }),
];

const keys: Case[] = [
  answered(
    'key-of-forger',
    'The issuer, asked online, tells another key under that name.',
    key(enveloped(JSON.parse(keyFile(attackerKey)))),
    ending('INVALID', 'signature.key', 'KEY_FINGERPRINT_MISMATCH'),
    '',
  ),
  answered(
    'key-of-other-name',
    'The issuer tells a key of another name.',
    key(enveloped({ ...JSON.parse(keyFile(issuerKey)), keyId: 'other' })),
    ending('INVALID', 'signature.key', 'KEY_IDENTITY_MISMATCH'),
    '',
  ),
];

/** Nobody is asked at all. */
const offline: Case[] = (
  [
    ['status', 'status.current'],
    ['root', 'chain.live-root'],
  ] as const
).map(([name, check]) => ({
  name: `offline-${name}`,
  why: 'Everything agrees, and nobody was asked.',
  archive: good,
  trustedKey: 'issuer.json',
  expected: ending('INDETERMINATE', check, 'OFFLINE'),
}));

const local: Case[] = [
  {
    ...answered(
      'local-failure',
      'The file is another one; nobody may be asked.',
      live({ status: 'REVOKED' }),
      ending('INVALID', 'status.current', 'NOT_RUN'),
    ),
    original: 'another-file.bin',
  },
  {
    ...answered(
      'local-jws-failure',
      'The signature names another algorithm; nobody may be asked for a key.',
      live(),
      ending('INVALID', 'signature.jws', 'JWS_CONTRACT'),
      '',
    ),
    archive: signedOver(entries, issuerKey, { alg: 'none' }).then(changed => zip(changed)),
  },
];

export const liveCases: readonly Case[] = [
  ...valids,
  ...statuses,
  ...unanswered,
  ...chains,
  ...keys,
  ...offline,
  ...local,
];
