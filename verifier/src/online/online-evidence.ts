// Owns asking the issuer and the chain: keys may be remembered for five minutes, roots for thirty seconds, a status
// never. No token, no tenant, no cookie is ever sent.
import { keyLocationOf, statusLocationOf } from '@recordproof/shared/evidence/proof-entries.ts';
import type { OnlineOptions } from '../options.ts';
import {
  type ChainRoot,
  type LiveEvidence,
  type Lookup,
  parseKeyAnswer,
  parseRootAnswer,
  parseStatusAnswer,
} from '../verify/live-evidence.ts';
import type { TrustedKey } from '../verify/trusted-key.ts';
import { type Answer, type Guard, guardedGet } from './guarded-get.ts';
import { parseOnlineSettings, toChainUrl, toIssuerUrl } from './online-settings.ts';
import { ShortCache } from './short-cache.ts';

export type OnlineTuning = Partial<Pick<Guard, 'connectTimeoutMillis' | 'requestTimeoutMillis' | 'resolve' | 'ca'>> & {
  now?: () => number;
};

const keyLifetimeMillis = 5 * 60_000;
const rootLifetimeMillis = 30_000;

/** Throws UsageError when the options cannot be used. May serve many verifications; opens nothing by itself. */
export function openOnlineEvidence(options: OnlineOptions, tuning: OnlineTuning = {}): LiveEvidence {
  const { issuerBase, chainTemplate, allowedHosts } = parseOnlineSettings(options);
  const { now = Date.now, ...network } = tuning;
  const guard: Guard = {
    allowedHosts,
    allowHttp: options.allowHttp,
    allowPrivateAddresses: options.allowPrivateAddresses,
    connectTimeoutMillis: 3000,
    requestTimeoutMillis: 5000,
    ...network,
  };
  const keys = new ShortCache<TrustedKey>(keyLifetimeMillis, now);
  const roots = new ShortCache<ChainRoot>(rootLifetimeMillis, now);
  return {
    findIssuerKey: (keyId, keyVersion) => {
      const url = toIssuerUrl(issuerBase, keyLocationOf(keyId, keyVersion));
      return remembered(keys, url, async () => toLookup('KEY', await guardedGet(url, guard), parseKeyAnswer));
    },
    findStatus: async proofId => {
      const url = toIssuerUrl(issuerBase, statusLocationOf(proofId));
      return toLookup('STATUS', await guardedGet(url, guard), parseStatusAnswer);
    },
    findChainRoot: address => {
      const url = toChainUrl(chainTemplate, address);
      return remembered(roots, url, async () => toLookup('CHAIN', await guardedGet(url, guard), parseRootAnswer));
    },
  };
}

async function remembered<T>(cache: ShortCache<T>, url: URL, ask: () => Promise<Lookup<T>>): Promise<Lookup<T>> {
  const known = cache.find(url.href);
  if (known !== undefined) return { kind: 'found', value: known };
  const answer = await ask();
  if (answer.kind === 'found') cache.keep(url.href, answer.value);
  return answer;
}

const subjects = { KEY: 'the signing key', STATUS: 'the current status', CHAIN: 'the root on the chain' } as const;

function toLookup<T>(subject: keyof typeof subjects, answer: Answer, parse: (bytes: Uint8Array) => T): Lookup<T> {
  const what = subjects[subject];
  if (answer.kind === 'not-found')
    return { kind: 'unknown', code: `${subject}_UNKNOWN`, message: `The other side does not know ${what}.` };
  const unavailable = (reason: string): Lookup<T> => ({
    kind: 'unavailable',
    code: `${subject}_${reason}`,
    message: `No usable answer about ${what}.`,
  });
  if (answer.kind === 'refused') return unavailable(answer.code);
  try {
    return { kind: 'found', value: parse(answer.bytes) };
  } catch {
    return unavailable('ANSWER_MALFORMED');
  }
}
