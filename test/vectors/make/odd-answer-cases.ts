// Answers from outside that are odd: those that say withdrawn count nevertheless, the others are no answers.

import { digestOf, toBase64 } from '@recordproof/shared/evidence/digest.ts';
import { toSpki } from '@recordproof/shared/evidence/ed25519.ts';
import { add, basePoint, eighthOrder, encodePoint, multiply } from '../../support/curve.ts';
import { type CannedAnswer, type Case, issuerIdentity, type Live } from './case.ts';
import { answered, base, chain, ending, enveloped, key, live, proofStatus } from './live-cases.ts';

const withdrawn = (name: string, why: string, answer: Live, word = 'REVOKED'): Case =>
  answered(`withdrawn-${name}`, why, answer, ending('INVALID', 'status.current', `STATUS_${word}`));

const revoked = { status: 'REVOKED', statusVersion: 2 };
const { statusVersion: _, keyId: __, ...short } = { ...base.status, ...revoked };

const odd: Case[] = [
  withdrawn(
    'long-reason',
    'Revoked, with a reason of 1,001 characters.',
    live({ ...revoked, reason: 'x'.repeat(1001) }),
  ),
  withdrawn(
    'odd-message',
    'Revoked, in an envelope whose message is no text.',
    proofStatus({ status: 200, body: JSON.stringify({ code: 200, message: 7, data: { ...base.status, ...revoked } }) }),
  ),
  withdrawn(
    'odd-code',
    'Revoked, in an envelope whose code is another.',
    proofStatus({ status: 200, body: JSON.stringify({ code: 500, data: { ...base.status, ...revoked } }) }),
  ),
  withdrawn(
    'odd-time',
    'Revoked, on a day that does not exist.',
    live({ ...revoked, updatedAt: '2026-02-30T12:00:00Z' }),
  ),
  withdrawn('short', 'Revoked, and half of the answer is missing.', proofStatus(enveloped(short))),
  withdrawn('bare', 'Declared invalid, and nothing else.', proofStatus(enveloped({ status: 'INVALID' })), 'INVALID'),
  withdrawn(
    'superseded',
    'Superseded, with a version that is none.',
    live({ status: 'SUPERSEDED', statusVersion: 'two' }),
    'SUPERSEDED',
  ),
  answered(
    'active-long-reason',
    'In force, with a reason of 1,001 characters: that is no answer.',
    live({ reason: 'x'.repeat(1001) }),
    ending('INDETERMINATE', 'status.current', 'STATUS_ANSWER_MALFORMED'),
  ),
];

const time = (name: string, why: string, updatedAt: string, outcome: 'VALID' | 'INDETERMINATE'): Case =>
  answered(
    `time-${name}`,
    why,
    live({ updatedAt }),
    outcome === 'VALID' ? { outcome } : ending(outcome, 'status.current', 'STATUS_ANSWER_MALFORMED'),
  );

const times: Case[] = [
  time('lower-case', 'A time with small letters.', '2026-01-31t12:00:00.5z', 'VALID'),
  time('leap-day', 'A day that exists every four years.', '2028-02-29T23:59:59Z', 'VALID'),
  time('february-30', 'The thirtieth of February.', '2026-02-30T12:00:00Z', 'INDETERMINATE'),
  time('hour-24', 'The hour 24.', '2026-01-31T24:00:00Z', 'INDETERMINATE'),
  time('leap-second', 'The second 60.', '2026-06-30T23:59:60Z', 'INDETERMINATE'),
];

const mixedKey = toSpki(encodePoint(add(multiply(basePoint, 12_345n), eighthOrder)));
const oddKey = {
  algorithm: 'EdDSA',
  ...issuerIdentity,
  publicKeyFingerprint: digestOf(mixedKey),
  publicKeySpki: toBase64(mixedKey),
};

const keys: Case[] = [
  answered(
    'key-mixed-order',
    'The issuer tells a key that is not of prime order.',
    key(enveloped(oddKey)),
    ending('INDETERMINATE', 'signature.key', 'KEY_ANSWER_MALFORMED'),
    '',
  ),
  {
    ...answered(
      'key-required',
      'Everything agrees, but the key came from the issuer and the caller demands his own.',
      live(),
      ending('INDETERMINATE', 'signature.key', 'TRUSTED_KEY_MISSING'),
      '',
    ),
    requireTrustedKey: true,
  },
];

const large = { status: 200, body: `{"x":"${'x'.repeat(262_144)}"}` };
const noJson = { status: 200, body: '{}', mediaType: 'text/html' };
const ways = [
  ['moved', 'sends elsewhere', { status: 302 }, 'REDIRECT_REFUSED'],
  ['too-large', 'answers with more than 256 KiB', large, 'ANSWER_TOO_LARGE'],
  ['media-type', 'answers in another media type', noJson, 'MEDIA_TYPE_REFUSED'],
] as const satisfies readonly (readonly [string, string, CannedAnswer, string])[];

const unusable: Case[] = ways.flatMap(([way, does, answer, reason]) => [
  answered(
    `no-key-${way}`,
    `Asked for the key, the issuer ${does}.`,
    key(answer),
    ending('INDETERMINATE', 'signature.key', `KEY_${reason}`),
    '',
  ),
  answered(
    `no-status-${way}`,
    `Asked for the status, the issuer ${does}.`,
    proofStatus(answer),
    ending('INDETERMINATE', 'status.current', `STATUS_${reason}`),
  ),
  answered(
    `no-root-${way}`,
    `Asked for the root, the chain ${does}.`,
    chain(answer),
    ending('INDETERMINATE', 'chain.live-root', `CHAIN_${reason}`),
  ),
]);

export const oddAnswerCases: readonly Case[] = [...odd, ...times, ...keys, ...unusable];
